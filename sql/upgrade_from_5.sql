-- Format 6: beside a learned weight stands how often the rule's head was true with its body and without.
ALTER TABLE run_weight ADD COLUMN support BIGINT;
ALTER TABLE run_weight ADD COLUMN rate DOUBLE;
ALTER TABLE run_weight ADD COLUMN rate_of_others DOUBLE;
UPDATE workspace_format SET version = 6
