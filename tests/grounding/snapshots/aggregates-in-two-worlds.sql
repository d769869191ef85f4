SELECT 0 AS world, 'person' AS type, count(*), bit_xor(hash(constant)), bool_and(constant = position) FROM domain WHERE world = 0 AND type = 'person' HAVING count(*) > 0 UNION ALL SELECT 1 AS world, 'person' AS type, count(*), bit_xor(hash(constant)), bool_and(constant = position) FROM domain WHERE world = 1 AND type = 'person' HAVING count(*) > 0 ORDER BY ALL;

(SELECT 0 FROM "p_Friends" LIMIT 1) UNION ALL (SELECT 1 FROM "p_Smokes" LIMIT 1) UNION ALL (SELECT 2 FROM "p_Cancer" LIMIT 1) UNION ALL (SELECT 3 FROM "p_Enemies" LIMIT 1) UNION ALL (SELECT 4 FROM "p_Age" LIMIT 1) UNION ALL (SELECT 5 FROM "p_Named" LIMIT 1) UNION ALL (SELECT 6 FROM "p_Born" LIMIT 1) UNION ALL (SELECT 7 FROM "p_Same" LIMIT 1);

(SELECT 0 FROM "p_Friends" WHERE world IN (0, 1) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 1 FROM "p_Friends" WHERE world IN (0, 1) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 2 FROM "p_Friends" WHERE world IN (0, 1) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 3 FROM "p_Friends" WHERE world IN (0, 1) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 4 FROM "p_Friends" WHERE world IN (0, 1) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 5 FROM "p_Smokes" WHERE world IN (0, 1) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 6 FROM "p_Smokes" WHERE world IN (0, 1) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 7 FROM "p_Smokes" WHERE world IN (0, 1) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 8 FROM "p_Smokes" WHERE world IN (0, 1) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 9 FROM "p_Smokes" WHERE world IN (0, 1) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 10 FROM "p_Enemies" WHERE world IN (0, 1) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 11 FROM "p_Enemies" WHERE world IN (0, 1) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 12 FROM "p_Enemies" WHERE world IN (0, 1) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 13 FROM "p_Enemies" WHERE world IN (0, 1) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 14 FROM "p_Enemies" WHERE world IN (0, 1) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 15 FROM "p_Age" WHERE world IN (0, 1) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 16 FROM "p_Age" WHERE world IN (0, 1) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 17 FROM "p_Age" WHERE world IN (0, 1) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 18 FROM "p_Age" WHERE world IN (0, 1) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 19 FROM "p_Age" WHERE world IN (0, 1) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 20 FROM "p_Named" WHERE world IN (0, 1) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 21 FROM "p_Named" WHERE world IN (0, 1) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 22 FROM "p_Named" WHERE world IN (0, 1) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 23 FROM "p_Named" WHERE world IN (0, 1) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 24 FROM "p_Named" WHERE world IN (0, 1) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 25 FROM "p_Born" WHERE world IN (0, 1) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 26 FROM "p_Born" WHERE world IN (0, 1) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 27 FROM "p_Born" WHERE world IN (0, 1) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 28 FROM "p_Born" WHERE world IN (0, 1) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 29 FROM "p_Born" WHERE world IN (0, 1) AND partition = 'truth' LIMIT 1);

SELECT coalesce(stats(name).has_unicode, true) FROM "c_person" LIMIT 1;

CREATE OR REPLACE TEMP TABLE "domain_person" AS SELECT world, constant AS a, position AS p FROM domain WHERE type = 'person' AND world IN (0, 1) ORDER BY world, p;

CREATE OR REPLACE TEMP VIEW "given_Friends" AS SELECT world, a0, a1 FROM "p_Friends" WHERE partition = 'evidence' AND value = 1 AND world IN (0, 1);

CREATE OR REPLACE TEMP TABLE "made_Count_2" AS SELECT CAST(world AS INTEGER) AS world, CAST(a0 AS INTEGER) AS a0, CAST(a1 AS DOUBLE) AS a1, 1::DOUBLE AS value, 'evidence'::fact_partition AS partition FROM (
SELECT DISTINCT d1.world AS world, d1.a AS a0, coalesce(q2.result, 0.0::DOUBLE) AS a1
FROM domain_person AS d1
  LEFT JOIN (
    SELECT q2_e1.a0 AS g0, q2_e1.world AS world, CAST(count(*) AS DOUBLE) AS result
    FROM given_Friends AS q2_e1
    GROUP BY q2_e1.world, q2_e1.a0
  ) AS q2 ON (q2.g0 = d1.a) AND (q2.world = d1.world)
WHERE (coalesce(q2.result, 0.0::DOUBLE) IS NOT NULL)
) q LIMIT 200000001;

CREATE OR REPLACE TEMP VIEW "given_Age" AS SELECT world, a0, a1 FROM "p_Age" WHERE partition = 'evidence' AND value = 1 AND world IN (0, 1);

CREATE OR REPLACE TEMP TABLE "made_Mean_4" AS SELECT CAST(world AS INTEGER) AS world, CAST(a0 AS INTEGER) AS a0, CAST(a1 AS DOUBLE) AS a1, 1::DOUBLE AS value, 'evidence'::fact_partition AS partition FROM (
SELECT DISTINCT q1.world AS world, q1.g0 AS a0, q1.result AS a1
FROM (
    SELECT q1_e1.a0 AS g0, q1_e1.world AS world, CAST(avg(q1_e2.a1) AS DOUBLE) AS result
    FROM given_Friends AS q1_e1
      JOIN given_Age AS q1_e2 ON (q1_e2.a0 = q1_e1.a1) AND (q1_e2.world = q1_e1.world)
    GROUP BY q1_e1.world, q1_e1.a0
  ) AS q1
WHERE (q1.result IS NOT NULL)
) q LIMIT 200000001;

CREATE OR REPLACE TEMP TABLE "made_Oldest_5" AS SELECT CAST(world AS INTEGER) AS world, CAST(a0 AS INTEGER) AS a0, CAST(a1 AS DOUBLE) AS a1, 1::DOUBLE AS value, 'evidence'::fact_partition AS partition FROM (
SELECT DISTINCT q1.world AS world, q1.g0 AS a0, q1.result AS a1
FROM (
    SELECT q1_e1.a0 AS g0, q1_e1.world AS world, max(q1_e2.a1) AS result
    FROM given_Friends AS q1_e1
      JOIN given_Age AS q1_e2 ON (q1_e2.a0 = q1_e1.a1) AND (q1_e2.world = q1_e1.world)
    GROUP BY q1_e1.world, q1_e1.a0
  ) AS q1
WHERE (q1.result IS NOT NULL)
) q LIMIT 200000001;

SELECT max(latest) FROM (SELECT max(a1) AS latest FROM "p_Born" WHERE partition = 'evidence' AND value = 1 AND world IN (0, 1));

CREATE OR REPLACE TEMP VIEW "given_Born" AS SELECT world, a0, a1 FROM "p_Born" WHERE partition = 'evidence' AND value = 1 AND world IN (0, 1);

CREATE OR REPLACE TEMP TABLE "made_Recent_7" AS SELECT CAST(world AS INTEGER) AS world, CAST(a0 AS INTEGER) AS a0, CAST(a1 AS DOUBLE) AS a1, 1::DOUBLE AS value, 'evidence'::fact_partition AS partition FROM (
SELECT DISTINCT d1.world AS world, d1.a AS a0, coalesce(q2.result, 0.0::DOUBLE) AS a1
FROM domain_person AS d1
  LEFT JOIN (
    SELECT q2_e1.a0 AS g0, q2_e1.world AS world, CAST(count(DISTINCT q2_e1.a1) AS DOUBLE) AS result
    FROM given_Friends AS q2_e1
      JOIN given_Born AS q2_e2 ON (q2_e2.a0 = q2_e1.a1) AND (q2_e2.world = q2_e1.world)
    WHERE (q2_e2.a1 <= CAST('1992-02-02 00:00:00' AS TIMESTAMP))
  AND (q2_e2.a1 > (CAST('1992-02-02 00:00:00' AS TIMESTAMP) - to_seconds(CAST(365.0::DOUBLE AS DOUBLE) * 86400.0::DOUBLE)))
    GROUP BY q2_e1.world, q2_e1.a0
  ) AS q2 ON (q2.g0 = d1.a) AND (q2.world = d1.world)
WHERE (coalesce(q2.result, 0.0::DOUBLE) IS NOT NULL)
) q LIMIT 200000001;

CREATE OR REPLACE TEMP TABLE "facts_Count" AS SELECT t.world, t.a0, d0.position AS p0, t.a1 FROM "made_Count_2" t JOIN domain d0 ON d0.world = t.world AND d0.constant = t.a0 AND d0.type = 'person' WHERE t.partition = 'evidence' AND t.world IN (0, 1) AND t.value = 1 ORDER BY t.world, d0.position, t.a1;

CREATE OR REPLACE TEMP TABLE "geometry_worlds" AS SELECT 0::INTEGER AS world, 0::INTEGER AS o0, 1::INTEGER AS s0_0 UNION ALL SELECT 1::INTEGER AS world, 3::INTEGER AS o0, 1::INTEGER AS s0_0;

CREATE OR REPLACE TEMP TABLE "known_Smokes" AS SELECT g.o0 + (g.s0_0 * t.p0) AS atom, t.value::TINYINT AS value FROM (SELECT t.world, t.a0, d0.position AS p0, t.value FROM "p_Smokes" t JOIN domain d0 ON d0.world = t.world AND d0.constant = t.a0 AND d0.type = 'person' WHERE t.partition = 'evidence' AND t.world IN (0, 1) AND t.value IN (0, 1) ORDER BY t.world, d0.position) t JOIN geometry_worlds g ON g.world = t.world ORDER BY atom;

SELECT count(*) FROM known_Smokes;

CREATE OR REPLACE TEMP TABLE "facts_Oldest" AS SELECT t.world, t.a0, d0.position AS p0, t.a1 FROM "made_Oldest_5" t JOIN domain d0 ON d0.world = t.world AND d0.constant = t.a0 AND d0.type = 'person' WHERE t.partition = 'evidence' AND t.world IN (0, 1) AND t.value = 1 ORDER BY t.world, d0.position, t.a1;

CREATE OR REPLACE TEMP TABLE "facts_Mean" AS SELECT t.world, t.a0, d0.position AS p0, t.a1 FROM "made_Mean_4" t JOIN domain d0 ON d0.world = t.world AND d0.constant = t.a0 AND d0.type = 'person' WHERE t.partition = 'evidence' AND t.world IN (0, 1) AND t.value = 1 ORDER BY t.world, d0.position, t.a1;

CREATE OR REPLACE TEMP TABLE "facts_Recent" AS SELECT t.world, t.a0, d0.position AS p0, t.a1 FROM "made_Recent_7" t JOIN domain d0 ON d0.world = t.world AND d0.constant = t.a0 AND d0.type = 'person' WHERE t.partition = 'evidence' AND t.world IN (0, 1) AND t.value = 1 ORDER BY t.world, d0.position, t.a1;

SELECT sum(CAST(1 AS DOUBLE)) AS n, sum(CAST(1 AS DOUBLE)) AS positive, 0.0::DOUBLE AS negative
FROM facts_Count AS e1;

SELECT 0 AS part, count(*) AS n, count(*) FILTER (WHERE CASE WHEN k3.value IS NULL THEN g2.o0 + (g2.s0_0 * e1.p0) ELSE -1 END < 0) AS decided, count(*) FILTER (WHERE CASE WHEN k3.value IS NULL THEN g2.o0 + (g2.s0_0 * e1.p0) ELSE -1 END < 0) AS positive, 0 AS negative, 0 AS unlisted
FROM facts_Count AS e1
  JOIN geometry_worlds AS g2 ON (g2.world = e1.world)
  LEFT JOIN known_Smokes AS k3 ON (k3.atom = (g2.o0 + (g2.s0_0 * e1.p0)))
WHERE ((e1.a1 < 1.0::DOUBLE) IS NOT TRUE)
  AND ((k3.value IS NULL) OR (k3.value = 0));

SELECT sum(CAST(1 AS DOUBLE)) AS n, sum(CAST(1 AS DOUBLE)) AS positive, 0.0::DOUBLE AS negative
FROM facts_Oldest AS e1;

SELECT 0 AS part, count(*) AS n, count(*) FILTER (WHERE CASE WHEN k3.value IS NULL THEN g2.o0 + (g2.s0_0 * e1.p0) ELSE -1 END < 0) AS decided, count(*) FILTER (WHERE CASE WHEN k3.value IS NULL THEN g2.o0 + (g2.s0_0 * e1.p0) ELSE -1 END < 0) AS positive, 0 AS negative, 0 AS unlisted
FROM facts_Oldest AS e1
  JOIN geometry_worlds AS g2 ON (g2.world = e1.world)
  LEFT JOIN known_Smokes AS k3 ON (k3.atom = (g2.o0 + (g2.s0_0 * e1.p0)))
WHERE ((e1.a1 <= 60.0::DOUBLE) IS NOT TRUE)
  AND ((k3.value IS NULL) OR (k3.value = 0));

SELECT sum(CAST(1 AS DOUBLE)) AS n, sum(CAST(1 AS DOUBLE)) AS positive, 0.0::DOUBLE AS negative
FROM facts_Mean AS e1;

SELECT 0 AS part, count(*) AS n, count(*) FILTER (WHERE CASE WHEN k3.value IS NULL THEN g2.o0 + (g2.s0_0 * e1.p0) ELSE -1 END < 0) AS decided, count(*) FILTER (WHERE CASE WHEN k3.value IS NULL THEN g2.o0 + (g2.s0_0 * e1.p0) ELSE -1 END < 0) AS positive, 0 AS negative, 0 AS unlisted
FROM facts_Mean AS e1
  JOIN geometry_worlds AS g2 ON (g2.world = e1.world)
  LEFT JOIN known_Smokes AS k3 ON (k3.atom = (g2.o0 + (g2.s0_0 * e1.p0)))
WHERE ((e1.a1 <= 60.0::DOUBLE) IS NOT TRUE)
  AND ((k3.value IS NULL) OR (k3.value = 0));

SELECT sum(CAST(1 AS DOUBLE)) AS n, sum(CAST(1 AS DOUBLE)) AS positive, 0.0::DOUBLE AS negative
FROM facts_Recent AS e1;

SELECT 0 AS part, count(*) AS n, count(*) FILTER (WHERE CASE WHEN k3.value IS NULL THEN g2.o0 + (g2.s0_0 * e1.p0) ELSE -1 END < 0) AS decided, count(*) FILTER (WHERE CASE WHEN k3.value IS NULL THEN g2.o0 + (g2.s0_0 * e1.p0) ELSE -1 END < 0) AS positive, 0 AS negative, 0 AS unlisted
FROM facts_Recent AS e1
  JOIN geometry_worlds AS g2 ON (g2.world = e1.world)
  LEFT JOIN known_Smokes AS k3 ON (k3.atom = (g2.o0 + (g2.s0_0 * e1.p0)))
WHERE ((e1.a1 < 1.0::DOUBLE) IS NOT TRUE)
  AND ((k3.value IS NULL) OR (k3.value = 0));

SELECT atom FROM known_Smokes;

SELECT r.l0 AS l0, CAST(count(*) AS DOUBLE) AS s
FROM (
    SELECT CASE WHEN k3.value IS NULL THEN g2.o0 + (g2.s0_0 * e1.p0) ELSE -1 END AS l0
    FROM facts_Count AS e1
      JOIN geometry_worlds AS g2 ON (g2.world = e1.world)
      LEFT JOIN known_Smokes AS k3 ON (k3.atom = (g2.o0 + (g2.s0_0 * e1.p0)))
    WHERE ((e1.a1 < 1.0::DOUBLE) IS NOT TRUE)
  AND ((k3.value IS NULL) OR (k3.value = 0))
  ) AS r
GROUP BY r.l0
ORDER BY l0;

SELECT r.l0 AS l0, CAST(count(*) AS DOUBLE) AS s
FROM (
    SELECT CASE WHEN k3.value IS NULL THEN g2.o0 + (g2.s0_0 * e1.p0) ELSE -1 END AS l0
    FROM facts_Oldest AS e1
      JOIN geometry_worlds AS g2 ON (g2.world = e1.world)
      LEFT JOIN known_Smokes AS k3 ON (k3.atom = (g2.o0 + (g2.s0_0 * e1.p0)))
    WHERE ((e1.a1 <= 60.0::DOUBLE) IS NOT TRUE)
  AND ((k3.value IS NULL) OR (k3.value = 0))
  ) AS r
GROUP BY r.l0
ORDER BY l0;

SELECT r.l0 AS l0, CAST(count(*) AS DOUBLE) AS s
FROM (
    SELECT CASE WHEN k3.value IS NULL THEN g2.o0 + (g2.s0_0 * e1.p0) ELSE -1 END AS l0
    FROM facts_Mean AS e1
      JOIN geometry_worlds AS g2 ON (g2.world = e1.world)
      LEFT JOIN known_Smokes AS k3 ON (k3.atom = (g2.o0 + (g2.s0_0 * e1.p0)))
    WHERE ((e1.a1 <= 60.0::DOUBLE) IS NOT TRUE)
  AND ((k3.value IS NULL) OR (k3.value = 0))
  ) AS r
GROUP BY r.l0
ORDER BY l0;

SELECT r.l0 AS l0, CAST(count(*) AS DOUBLE) AS s
FROM (
    SELECT CASE WHEN k3.value IS NULL THEN g2.o0 + (g2.s0_0 * e1.p0) ELSE -1 END AS l0
    FROM facts_Recent AS e1
      JOIN geometry_worlds AS g2 ON (g2.world = e1.world)
      LEFT JOIN known_Smokes AS k3 ON (k3.atom = (g2.o0 + (g2.s0_0 * e1.p0)))
    WHERE ((e1.a1 < 1.0::DOUBLE) IS NOT TRUE)
  AND ((k3.value IS NULL) OR (k3.value = 0))
  ) AS r
GROUP BY r.l0
ORDER BY l0;

SELECT world, constant FROM domain WHERE type = 'person' AND world IN (0, 1) ORDER BY world, position;

SELECT count(*) FROM "c_person";
