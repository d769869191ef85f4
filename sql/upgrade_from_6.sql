-- Format 7: the predictions of an update may be what changed since another run.
CREATE TABLE run_base (run INTEGER NOT NULL, base INTEGER NOT NULL);
UPDATE workspace_format SET version = 7
