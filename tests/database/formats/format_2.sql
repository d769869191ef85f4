-- A workspace as version 0.1.0 made it (format 2): two worlds, an inference over both, one over the second, a cross-validation.
CREATE TYPE fact_partition AS ENUM ('evidence', 'truth', 'target');
CREATE SCHEMA facts;
CREATE TABLE c_person(id INTEGER NOT NULL, "name" VARCHAR NOT NULL);
INSERT INTO "c_person" VALUES (0, 'Ann');
INSERT INTO "c_person" VALUES (1, 'Bob');
INSERT INTO "c_person" VALUES (2, 'Cem "C"');
INSERT INTO "c_person" VALUES (3, 'Dan');
INSERT INTO "c_person" VALUES (4, 'Eve');
CREATE TABLE constant_type("name" VARCHAR NOT NULL, table_name VARCHAR NOT NULL);
INSERT INTO "constant_type" VALUES ('person', 'c_person');
CREATE TABLE "domain"(world INTEGER NOT NULL, "type" VARCHAR NOT NULL, constant INTEGER NOT NULL, "position" INTEGER NOT NULL);
INSERT INTO "domain" VALUES (0, 'person', 0, 0);
INSERT INTO "domain" VALUES (0, 'person', 1, 1);
INSERT INTO "domain" VALUES (0, 'person', 2, 2);
INSERT INTO "domain" VALUES (1, 'person', 0, 0);
INSERT INTO "domain" VALUES (1, 'person', 3, 1);
INSERT INTO "domain" VALUES (1, 'person', 4, 2);
CREATE TABLE folds(fold INTEGER NOT NULL, world INTEGER NOT NULL, predicate VARCHAR, arguments INTEGER[], "role" VARCHAR NOT NULL);
CREATE TABLE p_Friends(world INTEGER NOT NULL, a0 INTEGER NOT NULL, a1 INTEGER NOT NULL, "value" DOUBLE, "partition" ENUM('evidence', 'truth', 'target') NOT NULL);
INSERT INTO "p_Friends" VALUES (0, 0, 1, 1.0, 'evidence');
INSERT INTO "p_Friends" VALUES (0, 1, 2, 1.0, 'evidence');
INSERT INTO "p_Friends" VALUES (1, 0, 3, 1.0, 'evidence');
INSERT INTO "p_Friends" VALUES (1, 3, 4, 1.0, 'evidence');
CREATE TABLE p_Smokes(world INTEGER NOT NULL, a0 INTEGER NOT NULL, "value" DOUBLE, "partition" ENUM('evidence', 'truth', 'target') NOT NULL);
INSERT INTO "p_Smokes" VALUES (0, 0, 1.0, 'truth');
INSERT INTO "p_Smokes" VALUES (0, 1, 1.0, 'truth');
INSERT INTO "p_Smokes" VALUES (1, 3, 1.0, 'truth');
CREATE TABLE p_Tall(world INTEGER NOT NULL, a0 INTEGER NOT NULL, "value" DOUBLE, "partition" ENUM('evidence', 'truth', 'target') NOT NULL);
CREATE TABLE predicate("name" VARCHAR NOT NULL, table_name VARCHAR NOT NULL, view_name VARCHAR NOT NULL, arity INTEGER NOT NULL, kind VARCHAR NOT NULL, value_last BOOLEAN NOT NULL, closed BOOLEAN, exactly_one INTEGER[] NOT NULL, at_most_one INTEGER[] NOT NULL);
INSERT INTO "predicate" VALUES ('Friends', 'p_Friends', 'Friends', 2, 'predicate', false, NULL, [], []);
INSERT INTO "predicate" VALUES ('Smokes', 'p_Smokes', 'Smokes', 1, 'predicate', false, NULL, [], []);
INSERT INTO "predicate" VALUES ('Tall', 'p_Tall', 'Tall', 1, 'predicate', false, NULL, [], []);
CREATE TABLE predicate_argument(predicate VARCHAR NOT NULL, "position" INTEGER NOT NULL, "type" VARCHAR NOT NULL);
INSERT INTO "predicate_argument" VALUES ('Friends', 0, 'person');
INSERT INTO "predicate_argument" VALUES ('Friends', 1, 'person');
INSERT INTO "predicate_argument" VALUES ('Smokes', 0, 'person');
INSERT INTO "predicate_argument" VALUES ('Tall', 0, 'person');
CREATE TABLE program_constant("type" VARCHAR NOT NULL, "name" VARCHAR NOT NULL, declared BOOLEAN NOT NULL);
CREATE TABLE run(id INTEGER NOT NULL, parent INTEGER, kind VARCHAR NOT NULL, "name" VARCHAR, note VARCHAR, created TIMESTAMP NOT NULL, "seconds" DOUBLE, status VARCHAR NOT NULL, engine VARCHAR, seed BIGINT, program_text VARCHAR, program_hash VARCHAR, data_hash VARCHAR, parameters VARCHAR, versions VARCHAR);
INSERT INTO "run" VALUES (1, NULL, 'infer', NULL, NULL, '2026-11-22 10:05:15.322522', 0.3381193259999691, 'exact', 'exact', 0, 'Friends(person, person)
Smokes(person)
Tall(person)

1.5 Smokes(x) ^ Friends(x, y) => Smokes(y)
-0.3 Smokes(x)
0.2 Tall(x)
', 'c31f86ec263e1d23b683ef86ec56be0a7860a0384124c3e74ecc7bf1082396ac', 'b1a9b620348ce57198a261c424d9f8e349e9365b90a5c38db956e369bba4d269', '{"closed": "Tall", "engine": "exact", "figures": {"atoms": 6, "bound": null, "energy": null, "engine": "exact", "evidence_energy": 1.2000000000000002, "gap": null, "ground_rows": 4, "ground_seconds": 0.186144, "hard_violation": 0.0, "query_atoms": 6, "reason": "variable elimination, induced width 1, 2 components", "rules": null, "seconds": 0.338119, "status": "exact", "task": "marginal", "unit_entries": 6}, "query": "Smokes", "task": "marginal"}', '{"duckdb": "2.0.0", "highspy": "1.15.1", "numba": "0.68.1", "numpy": "2.4.6", "python": "3.11.7", "scipy": "1.17.1", "workbench": "0.1.0"}');
INSERT INTO "run" VALUES (2, NULL, 'infer', NULL, NULL, '2026-11-22 10:05:15.862727', 0.1844502859999011, 'exact', 'exact', 0, 'Friends(person, person)
Smokes(person)
Tall(person)

1.5 Smokes(x) ^ Friends(x, y) => Smokes(y)
-0.3 Smokes(x)
0.2 Tall(x)
', 'c31f86ec263e1d23b683ef86ec56be0a7860a0384124c3e74ecc7bf1082396ac', 'b1a9b620348ce57198a261c424d9f8e349e9365b90a5c38db956e369bba4d269', '{"closed": "Tall", "engine": "exact", "figures": {"atoms": 3, "bound": null, "energy": null, "engine": "exact", "evidence_energy": 0.6000000000000001, "gap": null, "ground_rows": 2, "ground_seconds": 0.148116, "hard_violation": 0.0, "query_atoms": 3, "reason": "variable elimination, induced width 1, 1 components", "rules": null, "seconds": 0.18445, "status": "exact", "task": "marginal", "unit_entries": 3}, "query": "Smokes", "task": "marginal", "worlds": ["south"]}', '{"duckdb": "2.0.0", "highspy": "1.15.1", "numba": "0.68.1", "numpy": "2.4.6", "python": "3.11.7", "scipy": "1.17.1", "workbench": "0.1.0"}');
INSERT INTO "run" VALUES (3, NULL, 'crossval', NULL, NULL, '2026-11-22 10:05:17.800094', 1.6497861830000602, 'done', 'pseudo_likelihood', 0, 'Friends(person, person)
Smokes(person)
Tall(person)

1.5 Smokes(x) ^ Friends(x, y) => Smokes(y)
-0.3 Smokes(x)
0.2 Tall(x)
', 'c31f86ec263e1d23b683ef86ec56be0a7860a0384124c3e74ecc7bf1082396ac', 'b1a9b620348ce57198a261c424d9f8e349e9365b90a5c38db956e369bba4d269', '{"closed": "Tall", "engine": "exact", "folds": [{"kept": null, "name": "north", "worlds": ["north"]}, {"kept": null, "name": "south", "worlds": ["south"]}], "learner": "pseudo_likelihood", "query": "Smokes", "task": "marginal"}', '{"duckdb": "2.0.0", "highspy": "1.15.1", "numba": "0.68.1", "numpy": "2.4.6", "python": "3.11.7", "scipy": "1.17.1", "workbench": "0.1.0"}');
CREATE TABLE run_metric(run INTEGER NOT NULL, fold INTEGER, predicate VARCHAR, metric VARCHAR NOT NULL, "value" DOUBLE);
CREATE TABLE run_prediction(run INTEGER NOT NULL, fold INTEGER, predicate VARCHAR NOT NULL, atom VARCHAR NOT NULL, "value" DOUBLE, truth DOUBLE);
INSERT INTO "run_prediction" VALUES (1, NULL, 'Smokes', 'Smokes(Ann)', 0.24964968385160657, NULL);
INSERT INTO "run_prediction" VALUES (1, NULL, 'Smokes', 'Smokes(Bob)', 0.37996538676028285, NULL);
INSERT INTO "run_prediction" VALUES (1, NULL, 'Smokes', 'Smokes("Cem \"C\"")', 0.5558731860970174, NULL);
INSERT INTO "run_prediction" VALUES (1, NULL, 'Smokes', 'Smokes(Ann)', 0.24964968385160657, NULL);
INSERT INTO "run_prediction" VALUES (1, NULL, 'Smokes', 'Smokes(Dan)', 0.37996538676028285, NULL);
INSERT INTO "run_prediction" VALUES (1, NULL, 'Smokes', 'Smokes(Eve)', 0.5558731860970174, NULL);
INSERT INTO "run_prediction" VALUES (2, NULL, 'Smokes', 'Smokes(Ann)', 0.24964968385160657, NULL);
INSERT INTO "run_prediction" VALUES (2, NULL, 'Smokes', 'Smokes(Dan)', 0.37996538676028285, NULL);
INSERT INTO "run_prediction" VALUES (2, NULL, 'Smokes', 'Smokes(Eve)', 0.5558731860970174, NULL);
INSERT INTO "run_prediction" VALUES (3, 0, 'Smokes', 'Smokes(Ann)', 0.5506289902369363, 1.0);
INSERT INTO "run_prediction" VALUES (3, 0, 'Smokes', 'Smokes(Bob)', 0.44234814379962945, 1.0);
INSERT INTO "run_prediction" VALUES (3, 0, 'Smokes', 'Smokes("Cem \"C\"")', 0.2372891821759675, 0.0);
INSERT INTO "run_prediction" VALUES (3, 1, 'Smokes', 'Smokes(Ann)', 0.791866370825559, 0.0);
INSERT INTO "run_prediction" VALUES (3, 1, 'Smokes', 'Smokes(Dan)', 0.5885385402082514, 1.0);
INSERT INTO "run_prediction" VALUES (3, 1, 'Smokes', 'Smokes(Eve)', 0.5046856288528422, 0.0);
CREATE TABLE run_trace(run INTEGER NOT NULL, fold INTEGER, step INTEGER NOT NULL, series VARCHAR NOT NULL, "value" DOUBLE);
CREATE TABLE run_weight(run INTEGER NOT NULL, fold INTEGER, "template" INTEGER NOT NULL, "rule" INTEGER, clause INTEGER, formula VARCHAR, weight DOUBLE, initial DOUBLE, fixed BOOLEAN, open BIGINT, satisfied BIGINT, violated BIGINT, low DOUBLE, high DOUBLE);
CREATE TABLE setting("name" VARCHAR NOT NULL, "value" VARCHAR NOT NULL);
CREATE TABLE workspace_format("version" INTEGER NOT NULL);
INSERT INTO "workspace_format" VALUES (2);
CREATE TABLE world(id INTEGER NOT NULL, "name" VARCHAR NOT NULL);
INSERT INTO "world" VALUES (0, 'north');
INSERT INTO "world" VALUES (1, 'south');
CREATE VIEW facts.Friends AS SELECT w."name" AS world, c_a0."name" AS person_1, c_a1."name" AS person_2, f."value", f."partition" FROM (((p_Friends AS f INNER JOIN world AS w ON ((w.id = f.world))) INNER JOIN c_person AS c_a0 ON ((c_a0.id = f.a0))) INNER JOIN c_person AS c_a1 ON ((c_a1.id = f.a1)));
CREATE VIEW facts.Smokes AS SELECT w."name" AS world, c_a0."name" AS person, f."value", f."partition" FROM ((p_Smokes AS f INNER JOIN world AS w ON ((w.id = f.world))) INNER JOIN c_person AS c_a0 ON ((c_a0.id = f.a0)));
CREATE VIEW facts.Tall AS SELECT w."name" AS world, c_a0."name" AS person, f."value", f."partition" FROM ((p_Tall AS f INNER JOIN world AS w ON ((w.id = f.world))) INNER JOIN c_person AS c_a0 ON ((c_a0.id = f.a0)));
