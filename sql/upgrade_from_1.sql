-- Format 2: weights are recorded with their groundings and, where asked for, an interval.
ALTER TABLE run_weight ADD COLUMN open BIGINT;
ALTER TABLE run_weight ADD COLUMN satisfied BIGINT;
ALTER TABLE run_weight ADD COLUMN violated BIGINT;
ALTER TABLE run_weight ADD COLUMN low DOUBLE;
ALTER TABLE run_weight ADD COLUMN high DOUBLE;
UPDATE workspace_format SET version = 2
