-- Format 3: recorded predictions have keys (world, predicate, constants) in place of texts, which `upgrade.py` translates.
ALTER TABLE run_prediction RENAME TO text_prediction;
CREATE TABLE run_predicate (run INTEGER NOT NULL, predicate VARCHAR NOT NULL, types VARCHAR[] NOT NULL);
CREATE TABLE run_prediction (
    run INTEGER NOT NULL, fold INTEGER, world INTEGER, predicate VARCHAR NOT NULL, arguments INTEGER[] NOT NULL,
    value DOUBLE, truth DOUBLE
);
UPDATE workspace_format SET version = 3
