SELECT 0 AS world, 'person' AS type, count(*), bit_xor(hash(constant)), bool_and(constant = position) FROM domain WHERE world = 0 AND type = 'person' HAVING count(*) > 0 ORDER BY ALL;

(SELECT 0 FROM "p_Friends" LIMIT 1) UNION ALL (SELECT 1 FROM "p_Smokes" LIMIT 1) UNION ALL (SELECT 2 FROM "p_Cancer" LIMIT 1) UNION ALL (SELECT 3 FROM "p_Enemies" LIMIT 1) UNION ALL (SELECT 4 FROM "p_Age" LIMIT 1) UNION ALL (SELECT 5 FROM "p_Named" LIMIT 1) UNION ALL (SELECT 6 FROM "p_Born" LIMIT 1) UNION ALL (SELECT 7 FROM "p_Same" LIMIT 1);

(SELECT 0 FROM "p_Friends" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 1 FROM "p_Friends" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 2 FROM "p_Friends" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 3 FROM "p_Friends" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 4 FROM "p_Friends" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 5 FROM "p_Smokes" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 6 FROM "p_Smokes" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 7 FROM "p_Smokes" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 8 FROM "p_Smokes" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 9 FROM "p_Smokes" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 10 FROM "p_Enemies" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 11 FROM "p_Enemies" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 12 FROM "p_Enemies" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 13 FROM "p_Enemies" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 14 FROM "p_Enemies" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 15 FROM "p_Age" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 16 FROM "p_Age" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 17 FROM "p_Age" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 18 FROM "p_Age" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 19 FROM "p_Age" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 20 FROM "p_Named" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 21 FROM "p_Named" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 22 FROM "p_Named" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 23 FROM "p_Named" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 24 FROM "p_Named" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 25 FROM "p_Born" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 26 FROM "p_Born" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 27 FROM "p_Born" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 28 FROM "p_Born" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 29 FROM "p_Born" WHERE world IN (0) AND partition = 'truth' LIMIT 1);

SELECT coalesce(stats(name).has_unicode, true) FROM "c_person" LIMIT 1;

CREATE OR REPLACE TEMP TABLE "domain_person" AS SELECT world, constant AS a, position AS p FROM domain WHERE type = 'person' AND world IN (0) ORDER BY world, p;

CREATE OR REPLACE TEMP TABLE "known_Smokes" AS SELECT t.p0 AS atom, t.value::TINYINT AS value FROM (SELECT t.world, t.a0, t.a0 AS p0, t.value FROM "p_Smokes" t  WHERE t.partition = 'evidence' AND t.world IN (0) AND t.value IN (0, 1) ORDER BY t.world, t.a0) t ORDER BY atom;

SELECT count(*) FROM known_Smokes;

CREATE OR REPLACE TEMP TABLE "facts_Friends" AS SELECT t.world, t.a0, t.a0 AS p0, t.a1, t.a1 AS p1 FROM "p_Friends" t  WHERE t.partition = 'evidence' AND t.world IN (0) AND t.value = 1 ORDER BY t.world, t.a0, t.a1;

SELECT d1.a AS t0, sum(CAST(1 AS DOUBLE)) AS n, sum(CAST(1 AS DOUBLE)) AS positive, 0.0::DOUBLE AS negative
FROM domain_person AS d1
GROUP BY d1.a;

SELECT 0 AS part, d1.a AS t0, count(*) AS n, count(*) FILTER (WHERE greatest(CASE WHEN k2.value IS NULL THEN d1.p ELSE -1 END, d1.p + 3) < 0) AS decided, count(*) FILTER (WHERE greatest(CASE WHEN k2.value IS NULL THEN d1.p ELSE -1 END, d1.p + 3) < 0) AS positive, 0 AS negative, 0 AS unlisted
FROM domain_person AS d1
  LEFT JOIN known_Smokes AS k2 ON (k2.atom = d1.p)
WHERE ((k2.value IS NULL) OR (k2.value = 1))
GROUP BY d1.a;

SELECT id, name FROM "c_person" WHERE id IN (SELECT unnest($ids));

SELECT d1.a AS t0, sum(CAST(3.0::DOUBLE * 3.0::DOUBLE AS DOUBLE)) AS n, sum(CAST(3.0::DOUBLE * 3.0::DOUBLE AS DOUBLE)) AS positive, 0.0::DOUBLE AS negative
FROM domain_person AS d1
GROUP BY d1.a;

SELECT 0 AS part, e1.a0 AS t0, count(*) AS n, 0 AS decided, 0 AS positive, 0 AS negative, 0 AS unlisted
FROM facts_Friends AS e1
  JOIN facts_Friends AS e2 ON (e2.a0 = e1.a1)
  ANTI JOIN facts_Friends AS x3 ON (x3.a0 = e1.a0) AND (x3.a1 = e2.a1)
GROUP BY e1.a0;

SELECT id, name FROM "c_person" WHERE id IN (SELECT unnest($ids));

SELECT atom FROM known_Smokes;

CREATE OR REPLACE TEMP TABLE templates_0 AS SELECT * FROM incoming;

SELECT tm.template AS template, CASE WHEN k2.value IS NULL THEN d1.p ELSE -1 END AS l0, d1.p + 3 AS l1
FROM domain_person AS d1
  JOIN templates_0 AS tm ON (tm.t0 = d1.a)
  LEFT JOIN known_Smokes AS k2 ON (k2.atom = d1.p)
WHERE ((k2.value IS NULL) OR (k2.value = 1));

CREATE OR REPLACE TEMP TABLE templates_1 AS SELECT * FROM incoming;

SELECT tm.template AS template, r.l0 AS l0, CAST(count(*) AS DOUBLE) AS s
FROM (
    SELECT e1.a0 AS t0, e1.p0 + 3 AS l0
    FROM facts_Friends AS e1
      JOIN facts_Friends AS e2 ON (e2.a0 = e1.a1)
      ANTI JOIN facts_Friends AS x3 ON (x3.a0 = e1.a0) AND (x3.a1 = e2.a1)
  ) AS r
  JOIN templates_1 AS tm ON (tm.t0 = r.t0)
GROUP BY tm.template, r.l0
ORDER BY template, l0;

SELECT world, constant FROM domain WHERE type = 'person' AND world IN (0) ORDER BY world, position;

SELECT count(*) FROM "c_person";
