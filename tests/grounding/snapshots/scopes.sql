SELECT 0 AS world, 'person' AS type, count(*), bit_xor(hash(constant)), bool_and(constant = position) FROM domain WHERE world = 0 AND type = 'person' HAVING count(*) > 0 ORDER BY ALL;

(SELECT 0 FROM "p_Friends" LIMIT 1) UNION ALL (SELECT 1 FROM "p_Smokes" LIMIT 1) UNION ALL (SELECT 2 FROM "p_Cancer" LIMIT 1) UNION ALL (SELECT 3 FROM "p_Enemies" LIMIT 1) UNION ALL (SELECT 4 FROM "p_Age" LIMIT 1) UNION ALL (SELECT 5 FROM "p_Named" LIMIT 1) UNION ALL (SELECT 6 FROM "p_Born" LIMIT 1) UNION ALL (SELECT 7 FROM "p_Same" LIMIT 1);

(SELECT 0 FROM "p_Friends" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 1 FROM "p_Friends" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 2 FROM "p_Friends" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 3 FROM "p_Friends" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 4 FROM "p_Friends" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 5 FROM "p_Smokes" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 6 FROM "p_Smokes" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 7 FROM "p_Smokes" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 8 FROM "p_Smokes" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 9 FROM "p_Smokes" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 10 FROM "p_Enemies" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 11 FROM "p_Enemies" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 12 FROM "p_Enemies" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 13 FROM "p_Enemies" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 14 FROM "p_Enemies" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 15 FROM "p_Age" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 16 FROM "p_Age" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 17 FROM "p_Age" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 18 FROM "p_Age" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 19 FROM "p_Age" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 20 FROM "p_Named" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 21 FROM "p_Named" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 22 FROM "p_Named" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 23 FROM "p_Named" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 24 FROM "p_Named" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 25 FROM "p_Born" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 26 FROM "p_Born" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 27 FROM "p_Born" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 28 FROM "p_Born" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 29 FROM "p_Born" WHERE world IN (0) AND partition = 'truth' LIMIT 1);

SELECT coalesce(stats(name).has_unicode, true) FROM "c_person" LIMIT 1;

CREATE OR REPLACE TEMP VIEW "given_Named" AS SELECT world, a0, a1 FROM "p_Named" WHERE partition = 'evidence' AND value = 1 AND world IN (0);

CREATE OR REPLACE TEMP TABLE "scope_Same_1" AS SELECT CAST(world AS INTEGER) AS world, CAST(a0 AS INTEGER) AS a0, CAST(a1 AS INTEGER) AS a1 FROM (
SELECT DISTINCT 0 AS world, e1.a0 AS a0, e2.a0 AS a1
FROM given_Named AS e1
  CROSS JOIN given_Named AS e2
WHERE NOT (e1.a0 = e2.a0)
  AND (CAST(levenshtein(e1.a1, e2.a1) AS DOUBLE) <= 1.0::DOUBLE)
) q LIMIT 200000001;

CREATE OR REPLACE TEMP TABLE "listed_Same" AS SELECT * EXCLUDE (open), CASE WHEN open THEN (0 + row_number() OVER (PARTITION BY open ORDER BY world, p0, p1) - 1)::INTEGER END AS atom FROM (SELECT t.world, t.a0, t.a0 AS p0, t.a1, t.a1 AS p1, t.value IS NULL OR (t.value > 0 AND t.value < 1) AS open, t.value FROM (SELECT world, a0, a1, f.value FROM (SELECT world, a0, a1 FROM "scope_Same_1" UNION SELECT world, a0, a1 FROM "p_Same" WHERE partition = 'evidence' AND world IN (0) AND value > 0) s LEFT JOIN (SELECT world, a0, a1, max(value) AS value FROM "p_Same" WHERE partition = 'evidence' AND world IN (0) GROUP BY world, a0, a1) f USING (world, a0, a1)) t ) ORDER BY world, p0, p1;

SELECT world, count(atom) FROM listed_Same GROUP BY world;

SELECT 0 AS part, count(*) AS n, count(*) FILTER (WHERE greatest(coalesce(o1.atom, -1), coalesce(o2.atom, -1)) < 0) AS decided, count(*) FILTER (WHERE greatest(coalesce(o1.atom, -1), coalesce(o2.atom, -1)) < 0) AS positive, 0 AS negative, 0 AS unlisted
FROM listed_Same AS o1
  LEFT JOIN listed_Same AS o2 ON (o2.a0 = o1.a1) AND (o2.a1 = o1.a0)
WHERE (NOT (o1.atom IS NULL) OR (o1.value = 1))
  AND NOT coalesce((o2.atom IS NULL) AND (o2.value = 1), FALSE)
  AND NOT (o1.a0 = o1.a1);

SELECT sum(CAST(1 AS DOUBLE)) AS n, sum(CAST(1 AS DOUBLE)) AS positive, 0.0::DOUBLE AS negative
FROM listed_Same AS o1;

SELECT 0 AS part, count(*) AS n, count(*) FILTER (WHERE coalesce(o1.atom, -1) < 0) AS decided, count(*) FILTER (WHERE coalesce(o1.atom, -1) < 0) AS positive, 0 AS negative, 0 AS unlisted
FROM listed_Same AS o1
WHERE (o1.value IS DISTINCT FROM 1);

SELECT r.l0 AS l0, r.l1 AS l1, CAST(count(*) AS DOUBLE) AS s
FROM (
    SELECT coalesce(o1.atom, -1) AS l0, coalesce(o2.atom, -1) AS l1
    FROM listed_Same AS o1
      LEFT JOIN listed_Same AS o2 ON (o2.a0 = o1.a1) AND (o2.a1 = o1.a0)
    WHERE (NOT (o1.atom IS NULL) OR (o1.value = 1))
  AND NOT coalesce((o2.atom IS NULL) AND (o2.value = 1), FALSE)
  AND NOT (o1.a0 = o1.a1)
  ) AS r
GROUP BY r.l0, r.l1
ORDER BY l0, l1;

SELECT r.l0 AS l0, CAST(count(*) AS DOUBLE) AS s
FROM (
    SELECT coalesce(o1.atom, -1) AS l0
    FROM listed_Same AS o1
    WHERE (o1.value IS DISTINCT FROM 1)
  ) AS r
GROUP BY r.l0
ORDER BY l0;

SELECT world, a0, a1 FROM listed_Same WHERE atom IS NOT NULL ORDER BY atom;

SELECT count(*) FROM "c_person";
