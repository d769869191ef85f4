-- Every workspace holds these tables; predicates and types add their own (p_<predicate>, c_<type>).
CREATE TYPE fact_partition AS ENUM ('evidence', 'truth', 'target');

CREATE TABLE workspace_format (version INTEGER NOT NULL);
INSERT INTO workspace_format VALUES (7);

CREATE TABLE world (id INTEGER NOT NULL, name VARCHAR NOT NULL);

CREATE TABLE constant_type (name VARCHAR NOT NULL, table_name VARCHAR NOT NULL);

CREATE TABLE predicate (
    name VARCHAR NOT NULL,
    table_name VARCHAR NOT NULL,
    view_name VARCHAR NOT NULL,
    arity INTEGER NOT NULL,
    kind VARCHAR NOT NULL,
    value_last BOOLEAN NOT NULL,
    closed BOOLEAN,
    exactly_one INTEGER[] NOT NULL,
    at_most_one INTEGER[] NOT NULL
);
-- An entity is a constant of its type's domain; the other arguments are numbers, dates and texts.
CREATE TABLE predicate_argument (
    predicate VARCHAR NOT NULL, position INTEGER NOT NULL, type VARCHAR NOT NULL, entity BOOLEAN NOT NULL
);

-- Constants that the program brings: declared for a type, or written in a rule.
CREATE TABLE program_constant (type VARCHAR NOT NULL, name VARCHAR NOT NULL, declared BOOLEAN NOT NULL);

CREATE TABLE domain (
    world INTEGER NOT NULL, type VARCHAR NOT NULL, constant INTEGER NOT NULL, position INTEGER NOT NULL
);

-- A row without a predicate puts a whole world into the fold; otherwise one atom.
CREATE TABLE folds (
    fold INTEGER NOT NULL, world INTEGER NOT NULL, predicate VARCHAR, arguments INTEGER[], role VARCHAR NOT NULL
);

CREATE TABLE run (
    id INTEGER NOT NULL, parent INTEGER, kind VARCHAR NOT NULL, name VARCHAR, note VARCHAR,
    created TIMESTAMP NOT NULL, seconds DOUBLE, status VARCHAR NOT NULL, engine VARCHAR, seed BIGINT,
    program_text VARCHAR, program_hash VARCHAR, data_hash VARCHAR, parameters VARCHAR, versions VARCHAR
);
CREATE TABLE run_weight (
    run INTEGER NOT NULL, fold INTEGER, template INTEGER NOT NULL, rule INTEGER, clause INTEGER,
    formula VARCHAR, written VARCHAR, share DOUBLE, weight DOUBLE, initial DOUBLE, fixed BOOLEAN,
    open BIGINT, satisfied BIGINT, violated BIGINT, low DOUBLE, high DOUBLE,
    support BIGINT, rate DOUBLE, rate_of_others DOUBLE
);
-- An atom is its key: world, predicate, and ids of constants in the dictionaries of the types that `run_predicate` has.
CREATE TABLE run_predicate (run INTEGER NOT NULL, predicate VARCHAR NOT NULL, types VARCHAR[] NOT NULL);
CREATE TABLE run_prediction (
    run INTEGER NOT NULL, fold INTEGER, world INTEGER, predicate VARCHAR NOT NULL, arguments INTEGER[] NOT NULL,
    value DOUBLE, truth DOUBLE
);
-- A run with a base has rows for what changed since it, all other values are the base's.
CREATE TABLE run_base (run INTEGER NOT NULL, base INTEGER NOT NULL);
CREATE TABLE run_metric (run INTEGER NOT NULL, fold INTEGER, predicate VARCHAR, metric VARCHAR NOT NULL, value DOUBLE);
CREATE TABLE run_trace (
    run INTEGER NOT NULL, fold INTEGER, step INTEGER NOT NULL, series VARCHAR NOT NULL, value DOUBLE
);

-- What the page remembers, such as the program at hand.
CREATE TABLE setting (name VARCHAR NOT NULL, value VARCHAR NOT NULL);

CREATE SCHEMA facts;
