SELECT 0 AS world, 'person' AS type, count(*), bit_xor(hash(constant)), bool_and(constant = position) FROM domain WHERE world = 0 AND type = 'person' HAVING count(*) > 0 UNION ALL SELECT 1 AS world, 'person' AS type, count(*), bit_xor(hash(constant)), bool_and(constant = position) FROM domain WHERE world = 1 AND type = 'person' HAVING count(*) > 0 ORDER BY ALL;

(SELECT 0 FROM "p_Friends" LIMIT 1) UNION ALL (SELECT 1 FROM "p_Smokes" LIMIT 1) UNION ALL (SELECT 2 FROM "p_Cancer" LIMIT 1) UNION ALL (SELECT 3 FROM "p_Enemies" LIMIT 1) UNION ALL (SELECT 4 FROM "p_Age" LIMIT 1) UNION ALL (SELECT 5 FROM "p_Named" LIMIT 1) UNION ALL (SELECT 6 FROM "p_Born" LIMIT 1) UNION ALL (SELECT 7 FROM "p_Same" LIMIT 1);

(SELECT 0 FROM "p_Friends" WHERE world IN (0, 1) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 1 FROM "p_Friends" WHERE world IN (0, 1) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 2 FROM "p_Friends" WHERE world IN (0, 1) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 3 FROM "p_Friends" WHERE world IN (0, 1) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 4 FROM "p_Friends" WHERE world IN (0, 1) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 5 FROM "p_Smokes" WHERE world IN (0, 1) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 6 FROM "p_Smokes" WHERE world IN (0, 1) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 7 FROM "p_Smokes" WHERE world IN (0, 1) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 8 FROM "p_Smokes" WHERE world IN (0, 1) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 9 FROM "p_Smokes" WHERE world IN (0, 1) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 10 FROM "p_Enemies" WHERE world IN (0, 1) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 11 FROM "p_Enemies" WHERE world IN (0, 1) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 12 FROM "p_Enemies" WHERE world IN (0, 1) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 13 FROM "p_Enemies" WHERE world IN (0, 1) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 14 FROM "p_Enemies" WHERE world IN (0, 1) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 15 FROM "p_Age" WHERE world IN (0, 1) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 16 FROM "p_Age" WHERE world IN (0, 1) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 17 FROM "p_Age" WHERE world IN (0, 1) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 18 FROM "p_Age" WHERE world IN (0, 1) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 19 FROM "p_Age" WHERE world IN (0, 1) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 20 FROM "p_Named" WHERE world IN (0, 1) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 21 FROM "p_Named" WHERE world IN (0, 1) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 22 FROM "p_Named" WHERE world IN (0, 1) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 23 FROM "p_Named" WHERE world IN (0, 1) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 24 FROM "p_Named" WHERE world IN (0, 1) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 25 FROM "p_Born" WHERE world IN (0, 1) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 26 FROM "p_Born" WHERE world IN (0, 1) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 27 FROM "p_Born" WHERE world IN (0, 1) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 28 FROM "p_Born" WHERE world IN (0, 1) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 29 FROM "p_Born" WHERE world IN (0, 1) AND partition = 'truth' LIMIT 1);

SELECT id, name FROM "c_person" WHERE name IN ('Ann') ORDER BY name;

SELECT a0 FROM "p_Age" WHERE a0 IN (0) UNION SELECT a0 FROM "p_Born" WHERE a0 IN (0) UNION SELECT a0 FROM "p_Cancer" WHERE a0 IN (0) UNION SELECT a0 FROM "p_Enemies" WHERE a0 IN (0) UNION SELECT a1 FROM "p_Enemies" WHERE a1 IN (0) UNION SELECT a0 FROM "p_Friends" WHERE a0 IN (0) UNION SELECT a1 FROM "p_Friends" WHERE a1 IN (0) UNION SELECT a0 FROM "p_Named" WHERE a0 IN (0) UNION SELECT a0 FROM "p_Same" WHERE a0 IN (0) UNION SELECT a1 FROM "p_Same" WHERE a1 IN (0) UNION SELECT a0 FROM "p_Smokes" WHERE a0 IN (0);

SELECT coalesce(stats(name).has_unicode, true) FROM "c_person" LIMIT 1;

CREATE OR REPLACE TEMP TABLE "facts_Friends" AS SELECT t.world, t.a0, d0.position AS p0, t.a1, d1.position AS p1 FROM "p_Friends" t JOIN domain d0 ON d0.world = t.world AND d0.constant = t.a0 AND d0.type = 'person' JOIN domain d1 ON d1.world = t.world AND d1.constant = t.a1 AND d1.type = 'person' WHERE t.partition = 'evidence' AND t.world IN (0, 1) AND t.value = 1 ORDER BY t.world, d0.position, d1.position;

CREATE OR REPLACE TEMP TABLE "facts_Enemies" AS SELECT t.world, t.a0, d0.position AS p0, t.a1, d1.position AS p1 FROM "p_Enemies" t JOIN domain d0 ON d0.world = t.world AND d0.constant = t.a0 AND d0.type = 'person' JOIN domain d1 ON d1.world = t.world AND d1.constant = t.a1 AND d1.type = 'person' WHERE t.partition = 'evidence' AND t.world IN (0, 1) AND t.value = 1 ORDER BY t.world, d0.position, d1.position;

CREATE OR REPLACE TEMP TABLE "geometry_worlds" AS SELECT 0::INTEGER AS world, 0::INTEGER AS o0, 1::INTEGER AS s0_0, 0::INTEGER AS k0 UNION ALL SELECT 1::INTEGER AS world, 3::INTEGER AS o0, 1::INTEGER AS s0_0, 0::INTEGER AS k0;

CREATE OR REPLACE TEMP TABLE "known_Smokes" AS SELECT g.o0 + (g.s0_0 * t.p0) AS atom, t.value::TINYINT AS value FROM (SELECT t.world, t.a0, d0.position AS p0, t.value FROM "p_Smokes" t JOIN domain d0 ON d0.world = t.world AND d0.constant = t.a0 AND d0.type = 'person' WHERE t.partition = 'evidence' AND t.world IN (0, 1) AND t.value IN (0, 1) ORDER BY t.world, d0.position) t JOIN geometry_worlds g ON g.world = t.world ORDER BY atom;

SELECT count(*) FROM known_Smokes;

CREATE OR REPLACE TEMP TABLE "domain_person" AS SELECT world, constant AS a, position AS p FROM domain WHERE type = 'person' AND world IN (0, 1) ORDER BY world, p;

SELECT 2 AS clause, 0 AS part, count(*) AS n, count(*) FILTER (WHERE CASE WHEN k2.value IS NULL THEN g1.o0 + (g1.s0_0 * g1.k0) ELSE -1 END < 0) AS decided, count(*) FILTER (WHERE CASE WHEN k2.value IS NULL THEN g1.o0 + (g1.s0_0 * g1.k0) ELSE -1 END < 0) AS positive, 0 AS negative, 0 AS unlisted
FROM geometry_worlds AS g1
  LEFT JOIN known_Smokes AS k2 ON (k2.atom = (g1.o0 + (g1.s0_0 * g1.k0)))
WHERE ((k2.value IS NULL) OR (k2.value = 0));

SELECT 0 AS part, count(*) AS n, count(*) FILTER (WHERE greatest(CASE WHEN k4.value IS NULL THEN g3.o0 + (g3.s0_0 * e1.p0) ELSE -1 END, CASE WHEN k5.value IS NULL THEN g3.o0 + (g3.s0_0 * e1.p1) ELSE -1 END) < 0) AS decided, count(*) FILTER (WHERE greatest(CASE WHEN k4.value IS NULL THEN g3.o0 + (g3.s0_0 * e1.p0) ELSE -1 END, CASE WHEN k5.value IS NULL THEN g3.o0 + (g3.s0_0 * e1.p1) ELSE -1 END) < 0) AS positive, 0 AS negative, 0 AS unlisted
FROM facts_Friends AS e1
  JOIN geometry_worlds AS g3 ON (g3.world = e1.world)
  ANTI JOIN facts_Enemies AS x2 ON (x2.a0 = e1.a0) AND (x2.a1 = e1.a1) AND (x2.world = e1.world)
  LEFT JOIN known_Smokes AS k4 ON (k4.atom = (g3.o0 + (g3.s0_0 * e1.p0)))
  LEFT JOIN known_Smokes AS k5 ON (k5.atom = (g3.o0 + (g3.s0_0 * e1.p1)))
WHERE NOT (e1.a0 = e1.a1)
  AND ((k4.value IS NULL) OR (k4.value = 1))
  AND ((k5.value IS NULL) OR (k5.value = 0));

SELECT 0 AS part, count(*) AS n, count(*) FILTER (WHERE CASE WHEN k3.value IS NULL THEN g2.o0 + (g2.s0_0 * d1.p) ELSE -1 END < 0) AS decided, count(*) FILTER (WHERE CASE WHEN k3.value IS NULL THEN g2.o0 + (g2.s0_0 * d1.p) ELSE -1 END < 0) AS positive, 0 AS negative, 0 AS unlisted
FROM domain_person AS d1
  JOIN geometry_worlds AS g2 ON (g2.world = d1.world)
  LEFT JOIN known_Smokes AS k3 ON (k3.atom = (g2.o0 + (g2.s0_0 * d1.p)))
WHERE ((k3.value IS NULL) OR (k3.value = 1));

SELECT atom FROM known_Smokes;

SELECT CASE WHEN k2.value IS NULL THEN g1.o0 + (g1.s0_0 * g1.k0) ELSE -1 END AS l0, 0 AS q
FROM geometry_worlds AS g1
  LEFT JOIN known_Smokes AS k2 ON (k2.atom = (g1.o0 + (g1.s0_0 * g1.k0)))
WHERE ((k2.value IS NULL) OR (k2.value = 0));

SELECT r.l0 AS l0, r.l1 AS l1, CAST(count(*) AS DOUBLE) AS s
FROM (
    SELECT CASE WHEN k4.value IS NULL THEN g3.o0 + (g3.s0_0 * e1.p0) ELSE -1 END AS l0, CASE WHEN k5.value IS NULL THEN g3.o0 + (g3.s0_0 * e1.p1) ELSE -1 END AS l1
    FROM facts_Friends AS e1
      JOIN geometry_worlds AS g3 ON (g3.world = e1.world)
      ANTI JOIN facts_Enemies AS x2 ON (x2.a0 = e1.a0) AND (x2.a1 = e1.a1) AND (x2.world = e1.world)
      LEFT JOIN known_Smokes AS k4 ON (k4.atom = (g3.o0 + (g3.s0_0 * e1.p0)))
      LEFT JOIN known_Smokes AS k5 ON (k5.atom = (g3.o0 + (g3.s0_0 * e1.p1)))
    WHERE NOT (e1.a0 = e1.a1)
  AND ((k4.value IS NULL) OR (k4.value = 1))
  AND ((k5.value IS NULL) OR (k5.value = 0))
  ) AS r
GROUP BY r.l0, r.l1
ORDER BY l0, l1;

SELECT r.l0 AS l0, CAST(count(*) AS DOUBLE) AS s
FROM (
    SELECT CASE WHEN k3.value IS NULL THEN g2.o0 + (g2.s0_0 * d1.p) ELSE -1 END AS l0
    FROM domain_person AS d1
      JOIN geometry_worlds AS g2 ON (g2.world = d1.world)
      LEFT JOIN known_Smokes AS k3 ON (k3.atom = (g2.o0 + (g2.s0_0 * d1.p)))
    WHERE ((k3.value IS NULL) OR (k3.value = 1))
  ) AS r
GROUP BY r.l0
ORDER BY l0;

SELECT world, constant FROM domain WHERE type = 'person' AND world IN (0, 1) ORDER BY world, position;

SELECT count(*) FROM "c_person";
