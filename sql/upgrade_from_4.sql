-- Format 5: a weight knows the formula it is of, as its author wrote it, and what part of its weight it is.
ALTER TABLE run_weight ADD COLUMN written VARCHAR;
ALTER TABLE run_weight ADD COLUMN share DOUBLE;
UPDATE run_weight SET written = '', share = 1;
UPDATE workspace_format SET version = 5
