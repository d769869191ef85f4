SELECT 0 AS world, 'person' AS type, count(*), bit_xor(hash(constant)), bool_and(constant = position) FROM domain WHERE world = 0 AND type = 'person' HAVING count(*) > 0 ORDER BY ALL;

(SELECT 0 FROM "p_Friends" LIMIT 1) UNION ALL (SELECT 1 FROM "p_Smokes" LIMIT 1) UNION ALL (SELECT 2 FROM "p_Cancer" LIMIT 1) UNION ALL (SELECT 3 FROM "p_Enemies" LIMIT 1) UNION ALL (SELECT 4 FROM "p_Age" LIMIT 1) UNION ALL (SELECT 5 FROM "p_Named" LIMIT 1) UNION ALL (SELECT 6 FROM "p_Born" LIMIT 1) UNION ALL (SELECT 7 FROM "p_Same" LIMIT 1);

(SELECT 0 FROM "p_Friends" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 1 FROM "p_Friends" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 2 FROM "p_Friends" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 3 FROM "p_Friends" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 4 FROM "p_Friends" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 5 FROM "p_Smokes" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 6 FROM "p_Smokes" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 7 FROM "p_Smokes" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 8 FROM "p_Smokes" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 9 FROM "p_Smokes" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 10 FROM "p_Enemies" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 11 FROM "p_Enemies" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 12 FROM "p_Enemies" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 13 FROM "p_Enemies" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 14 FROM "p_Enemies" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 15 FROM "p_Age" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 16 FROM "p_Age" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 17 FROM "p_Age" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 18 FROM "p_Age" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 19 FROM "p_Age" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 20 FROM "p_Named" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 21 FROM "p_Named" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 22 FROM "p_Named" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 23 FROM "p_Named" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 24 FROM "p_Named" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 25 FROM "p_Born" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 26 FROM "p_Born" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 27 FROM "p_Born" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 28 FROM "p_Born" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 29 FROM "p_Born" WHERE world IN (0) AND partition = 'truth' LIMIT 1);

SELECT coalesce(stats(name).has_unicode, true) FROM "c_person" LIMIT 1;

CREATE OR REPLACE TEMP VIEW "given_Friends" AS SELECT world, a0, a1 FROM "p_Friends" WHERE partition = 'evidence' AND value = 1 AND world IN (0);

CREATE OR REPLACE TEMP TABLE "made_Far_1" AS SELECT CAST(world AS INTEGER) AS world, CAST(a0 AS INTEGER) AS a0, CAST(a1 AS INTEGER) AS a1, 1::DOUBLE AS value, 'evidence'::fact_partition AS partition FROM (
SELECT DISTINCT 0 AS world, e1.a0 AS a0, e1.a1 AS a1
FROM given_Friends AS e1
) q LIMIT 200000001;

CREATE OR REPLACE TEMP TABLE "new_Far" AS SELECT * EXCLUDE (value, partition) FROM "made_Far_1";

CREATE OR REPLACE TEMP VIEW "given_Far" AS SELECT world, a0, a1 FROM "made_Far_1" WHERE partition = 'evidence' AND value = 1 AND world IN (0);

CREATE OR REPLACE TEMP TABLE "next_Far" AS (SELECT DISTINCT 0 AS world, e1.a0 AS a0, e2.a1 AS a1
FROM "new_Far" AS e1
  JOIN given_Far AS e2 ON (e2.a0 = e1.a1)
UNION
SELECT DISTINCT 0 AS world, e1.a0 AS a0, e2.a1 AS a1
FROM given_Far AS e1
  JOIN "new_Far" AS e2 ON (e2.a0 = e1.a1)) EXCEPT (SELECT * EXCLUDE (value, partition) FROM "made_Far_1");

INSERT INTO "made_Far_1" SELECT *, 1.0, 'evidence' FROM "next_Far";

CREATE OR REPLACE TEMP TABLE "new_Far" AS FROM "next_Far";

CREATE OR REPLACE TEMP TABLE "next_Far" AS (SELECT DISTINCT 0 AS world, e1.a0 AS a0, e2.a1 AS a1
FROM "new_Far" AS e1
  JOIN given_Far AS e2 ON (e2.a0 = e1.a1)
UNION
SELECT DISTINCT 0 AS world, e1.a0 AS a0, e2.a1 AS a1
FROM given_Far AS e1
  JOIN "new_Far" AS e2 ON (e2.a0 = e1.a1)) EXCEPT (SELECT * EXCLUDE (value, partition) FROM "made_Far_1");

INSERT INTO "made_Far_1" SELECT *, 1.0, 'evidence' FROM "next_Far";

CREATE OR REPLACE TEMP TABLE "new_Far" AS FROM "next_Far";

CREATE OR REPLACE TEMP TABLE "made_Reach_3" AS SELECT CAST(world AS INTEGER) AS world, CAST(a0 AS INTEGER) AS a0, CAST(a1 AS INTEGER) AS a1, 1::DOUBLE AS value, 'evidence'::fact_partition AS partition FROM (
WITH RECURSIVE so_far(world, a0, a1) AS (
SELECT DISTINCT 0 AS world, e1.a0 AS a0, e1.a1 AS a1
FROM given_Friends AS e1
UNION
(
SELECT DISTINCT 0 AS world, e1.a0 AS a0, e2.a1 AS a1
FROM so_far AS e1
  JOIN given_Friends AS e2 ON (e2.a0 = e1.a1)
)
)
SELECT * FROM so_far
) q LIMIT 200000001;

CREATE OR REPLACE TEMP TABLE "facts_Reach" AS SELECT t.world, t.a0, t.a0 AS p0, t.a1, t.a1 AS p1 FROM "made_Reach_3" t  WHERE t.partition = 'evidence' AND t.world IN (0) AND t.value = 1 ORDER BY t.world, t.a0, t.a1;

CREATE OR REPLACE TEMP TABLE "facts_Far" AS SELECT t.world, t.a0, t.a0 AS p0, t.a1, t.a1 AS p1 FROM "made_Far_1" t  WHERE t.partition = 'evidence' AND t.world IN (0) AND t.value = 1 ORDER BY t.world, t.a0, t.a1;

SELECT 0 AS part, count(*) AS n, 0 AS decided, 0 AS positive, 0 AS negative, 0 AS unlisted
FROM facts_Reach AS e1;

SELECT 0 AS part, count(*) AS n, 0 AS decided, 0 AS positive, 0 AS negative, 0 AS unlisted
FROM facts_Far AS e1;

SELECT (3 * e1.p0) + e1.p1 AS l0, 0 AS q
FROM facts_Reach AS e1
UNION ALL
SELECT (3 * e1.p0) + e1.p1 AS l0, 1 AS q
FROM facts_Far AS e1;

SELECT world, constant FROM domain WHERE type = 'person' AND world IN (0) ORDER BY world, position;

SELECT count(*) FROM "c_person";
