SELECT 0 AS world, 'a' AS type, count(*), bit_xor(hash(constant)), bool_and(constant = position) FROM domain WHERE world = 0 AND type = 'a' HAVING count(*) > 0 UNION ALL SELECT 0 AS world, 'a2' AS type, count(*), bit_xor(hash(constant)), bool_and(constant = position) FROM domain WHERE world = 0 AND type = 'a2' HAVING count(*) > 0 ORDER BY ALL;

(SELECT 0 FROM "p_Knows" LIMIT 1) UNION ALL (SELECT 1 FROM "p_Open" LIMIT 1) UNION ALL (SELECT 2 FROM "p_Link" LIMIT 1);

(SELECT 0 FROM "p_Knows" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 1 FROM "p_Knows" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 2 FROM "p_Knows" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 3 FROM "p_Knows" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 4 FROM "p_Knows" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 5 FROM "p_Open" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 6 FROM "p_Open" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 7 FROM "p_Open" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 8 FROM "p_Open" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 9 FROM "p_Open" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 10 FROM "p_Link" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 11 FROM "p_Link" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 12 FROM "p_Link" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 13 FROM "p_Link" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 14 FROM "p_Link" WHERE world IN (0) AND partition = 'truth' LIMIT 1);

SELECT coalesce(stats(name).has_unicode, true) FROM "c_a" LIMIT 1;

SELECT coalesce(stats(name).has_unicode, true) FROM "c_a2" LIMIT 1;

CREATE OR REPLACE TEMP TABLE "listed_Open" AS SELECT * EXCLUDE (open), CASE WHEN open THEN (0 + row_number() OVER (PARTITION BY open ORDER BY world, p0) - 1)::INTEGER END AS atom FROM (SELECT t.world, t.a0, t.a0 AS p0, t.open, t.value FROM (SELECT world, a0, bool_and(partition = 'target' OR value IS NULL) AS open, max(value) FILTER (partition = 'evidence') AS value FROM "p_Open" WHERE partition <> 'truth' AND world IN (0) GROUP BY world, a0) t ) ORDER BY world, p0;

SELECT world, count(atom) FROM listed_Open GROUP BY world;

CREATE OR REPLACE TEMP TABLE "listed_Link" AS SELECT *, (2 + row_number() OVER () - 1)::INTEGER AS atom FROM (SELECT t.world, t.a0, t.a0 AS p0, t.a1, t.a1 AS p1, NULL::DOUBLE AS value FROM "p_Link" t  WHERE t.partition = 'target' AND t.world IN (0) ORDER BY world, p0, p1);

SELECT world, count(atom) FROM listed_Link GROUP BY world;

SELECT count(*) - count(atom) FROM listed_Open;

CREATE OR REPLACE TEMP TABLE "observed_Knows" AS SELECT t.world, t.a0, t.a0 AS p0, t.a1, t.a1 AS p1, t.value FROM "p_Knows" t  WHERE t.partition = 'evidence' AND t.world IN (0) AND t.value > 0 ORDER BY t.world, t.a0, t.a1;

SELECT count(*) FROM "p_Knows" WHERE partition = 'evidence' AND value > 0 AND value <> 1 AND world IN (0);

SELECT count(*) FROM listed_Open;

SELECT t.p0 AS place, coalesce(atom, -1)::INTEGER AS atom, coalesce(value, 0) AS value FROM listed_Open t;

SELECT count(*) - count(atom) FROM listed_Link;

SELECT count(*) FROM listed_Link;

SELECT (3 * t.p0) + t.p1 AS place, coalesce(atom, -1)::INTEGER AS atom FROM listed_Link t;

SELECT count(*) AS n, CAST(count(*) AS DOUBLE) AS positive, 0.0::DOUBLE AS negative
FROM (
    SELECT 1 AS one
    FROM observed_Knows AS e1
    WHERE NOT (find_Open(e1.p0) = -2)
  AND (e1.a0 = e1.a1)
  AND (0.0::DOUBLE > 1e-09::DOUBLE)
    UNION ALL
    SELECT 1 AS one
    FROM observed_Knows AS e1
    WHERE NOT (find_Open(e1.p0) = -2)
  AND NOT (e1.a0 = e1.a1)
  ) AS r;

SELECT 0 AS part, count(*) AS n, count(*) FILTER (WHERE TRUE) AS decided, coalesce(sum(0.0::DOUBLE * 0.0::DOUBLE) FILTER (WHERE TRUE), 0.0::DOUBLE) AS positive, 0.0::DOUBLE AS negative, 0 AS unlisted
FROM observed_Knows AS e1
WHERE NOT (find_Open(e1.p0) = -2)
  AND (e1.a0 = e1.a1)
  AND TRUE
  AND (0.0::DOUBLE > 1e-09::DOUBLE)
UNION ALL
SELECT 1 AS part, count(*) AS n, count(*) FILTER (WHERE TRUE) AS decided, coalesce(sum(0.0::DOUBLE * 0.0::DOUBLE) FILTER (WHERE TRUE), 0.0::DOUBLE) AS positive, 0.0::DOUBLE AS negative, 0 AS unlisted
FROM observed_Knows AS e1
WHERE NOT (find_Open(e1.p0) = -2)
  AND (e1.a0 = e1.a1)
  AND NOT TRUE
  AND (0.0::DOUBLE > 1e-09::DOUBLE)
UNION ALL
SELECT 2 AS part, count(*) AS n, 0 AS decided, 0.0::DOUBLE AS positive, 0.0::DOUBLE AS negative, count(*) FILTER (WHERE find_Open(e1.p1) = -2) AS unlisted
FROM observed_Knows AS e1
WHERE NOT (find_Open(e1.p0) = -2)
  AND NOT (e1.a0 = e1.a1)
  AND ((find_Open(e1.p0) >= 0) AND (find_Open(e1.p1) >= 0))
UNION ALL
SELECT 3 AS part, count(*) AS n, count(*) FILTER (WHERE greatest(find_Open(e1.p0), find_Open(e1.p1)) < 0) AS decided, coalesce(sum((CASE WHEN find_Open(e1.p0) = -1 THEN value_Open(e1.p0) ELSE 0.0::DOUBLE END + (-1.0::DOUBLE * CASE WHEN find_Open(e1.p1) = -1 THEN value_Open(e1.p1) ELSE 0.0::DOUBLE END)) * (CASE WHEN find_Open(e1.p0) = -1 THEN value_Open(e1.p0) ELSE 0.0::DOUBLE END + (-1.0::DOUBLE * CASE WHEN find_Open(e1.p1) = -1 THEN value_Open(e1.p1) ELSE 0.0::DOUBLE END))) FILTER (WHERE greatest(find_Open(e1.p0), find_Open(e1.p1)) < 0), 0.0::DOUBLE) AS positive, 0.0::DOUBLE AS negative, count(*) FILTER (WHERE find_Open(e1.p1) = -2) AS unlisted
FROM observed_Knows AS e1
WHERE NOT (find_Open(e1.p0) = -2)
  AND NOT (e1.a0 = e1.a1)
  AND NOT ((find_Open(e1.p0) >= 0) AND (find_Open(e1.p1) >= 0))
  AND ((CASE WHEN find_Open(e1.p0) = -1 THEN value_Open(e1.p0) ELSE 1.0::DOUBLE END + (-1.0::DOUBLE * CASE WHEN find_Open(e1.p1) = -1 THEN value_Open(e1.p1) ELSE 0.0::DOUBLE END)) > 1e-09::DOUBLE);

EXPLAIN (FORMAT JSON) SELECT 1 AS one
FROM listed_Link AS o1
  JOIN listed_Link AS o2 ON (o2.a0 = o1.a1) AND (o2.a1 = o1.a1)
WHERE (o1.a1 = o1.a1);

EXPLAIN (FORMAT JSON) SELECT 1 AS one
FROM listed_Link AS o1
  JOIN listed_Link AS o2 ON (o2.a0 = o1.a1)
WHERE (o1.a1 = o1.a0);

EXPLAIN (FORMAT JSON) SELECT 1 AS one
FROM listed_Link AS o1
  JOIN listed_Link AS o2 ON (o2.a0 = o1.a1);

SELECT 0 AS part, count(*) AS n, 0 AS decided, 0.0::DOUBLE AS positive, 0.0::DOUBLE AS negative, 0 AS unlisted
FROM listed_Link AS o1
  JOIN listed_Link AS o2 ON (o2.a0 = o1.a1) AND (o2.a1 = o1.a1)
WHERE ((o1.a0 = o1.a1) IS NOT TRUE)
  AND (o1.a1 = o1.a1)
  AND (0.0::DOUBLE > 1e-09::DOUBLE)
UNION ALL
SELECT 1 AS part, count(*) AS n, 0 AS decided, 0.0::DOUBLE AS positive, 0.0::DOUBLE AS negative, 0 AS unlisted
FROM listed_Link AS o1
  JOIN listed_Link AS o2 ON (o2.a0 = o1.a1)
WHERE ((o1.a0 = o2.a1) IS NOT TRUE)
  AND (o1.a1 = o1.a0)
  AND NOT (o1.a1 = o2.a1)
  AND (0.0::DOUBLE > 1e-09::DOUBLE)
UNION ALL
SELECT 2 AS part, count(*) AS n, 0 AS decided, 0.0::DOUBLE AS positive, 0.0::DOUBLE AS negative, 0 AS unlisted
FROM listed_Link AS o1
  JOIN listed_Link AS o2 ON (o2.a0 = o1.a1)
WHERE ((o1.a0 = o2.a1) IS NOT TRUE)
  AND NOT (o1.a1 = o2.a1)
  AND NOT (o1.a1 = o1.a0);

SELECT count(*) AS n, CAST(count(*) AS DOUBLE) AS positive, 0.0::DOUBLE AS negative
FROM (
    SELECT 1 AS one
    FROM listed_Open AS o1
  ) AS r;

SELECT 0 AS part, count(*) AS n, 0 AS decided, 0.0::DOUBLE AS positive, 0.0::DOUBLE AS negative, 0 AS unlisted
FROM listed_Open AS o1
WHERE NOT (o1.atom IS NULL)
UNION ALL
SELECT 1 AS part, count(*) AS n, count(*) FILTER (WHERE coalesce(o1.atom, -1) < 0) AS decided, coalesce(sum(coalesce(o1.value, 0.0::DOUBLE)) FILTER (WHERE coalesce(o1.atom, -1) < 0), 0.0::DOUBLE) AS positive, 0.0::DOUBLE AS negative, 0 AS unlisted
FROM listed_Open AS o1
WHERE NOT NOT (o1.atom IS NULL)
  AND (coalesce(o1.value, 1.0::DOUBLE) > 1e-09::DOUBLE);

SELECT find_Open(e1.p0) AS l0, find_Open(e1.p1) AS l1, 0 AS q
FROM observed_Knows AS e1
WHERE NOT (find_Open(e1.p0) = -2)
  AND NOT (e1.a0 = e1.a1)
  AND ((find_Open(e1.p0) >= 0) AND (find_Open(e1.p1) >= 0));

SELECT o2.atom AS l0, 0 AS q
FROM listed_Link AS o1
  JOIN listed_Link AS o2 ON (o2.a0 = o1.a1) AND (o2.a1 = o1.a1)
WHERE ((o1.a0 = o1.a1) IS NOT TRUE)
  AND (o1.a1 = o1.a1)
  AND (0.0::DOUBLE > 1e-09::DOUBLE)
UNION ALL
SELECT o1.atom AS l0, 1 AS q
FROM listed_Link AS o1
  JOIN listed_Link AS o2 ON (o2.a0 = o1.a1)
WHERE ((o1.a0 = o2.a1) IS NOT TRUE)
  AND (o1.a1 = o1.a0)
  AND NOT (o1.a1 = o2.a1)
  AND (0.0::DOUBLE > 1e-09::DOUBLE)
UNION ALL
SELECT o1.atom AS l0, 2 AS q
FROM listed_Open AS o1
WHERE NOT (o1.atom IS NULL);

SELECT o1.atom AS l0, o2.atom AS l1, find_Link((3 * o1.p0) + o2.p1) AS l2, 0 AS q
FROM listed_Link AS o1
  JOIN listed_Link AS o2 ON (o2.a0 = o1.a1)
WHERE ((o1.a0 = o2.a1) IS NOT TRUE)
  AND NOT (o1.a1 = o2.a1)
  AND NOT (o1.a1 = o1.a0);

SELECT r.l0 AS l0, r.l1 AS l1, r.b AS b, CAST(count(*) AS DOUBLE) AS s
FROM (
    SELECT find_Open(e1.p0) AS l0, find_Open(e1.p1) AS l1, CASE WHEN find_Open(e1.p0) = -1 THEN value_Open(e1.p0) ELSE 0.0::DOUBLE END + (-1.0::DOUBLE * CASE WHEN find_Open(e1.p1) = -1 THEN value_Open(e1.p1) ELSE 0.0::DOUBLE END) AS b
    FROM observed_Knows AS e1
    WHERE NOT (find_Open(e1.p0) = -2)
  AND NOT (e1.a0 = e1.a1)
  AND NOT ((find_Open(e1.p0) >= 0) AND (find_Open(e1.p1) >= 0))
  AND ((CASE WHEN find_Open(e1.p0) = -1 THEN value_Open(e1.p0) ELSE 1.0::DOUBLE END + (-1.0::DOUBLE * CASE WHEN find_Open(e1.p1) = -1 THEN value_Open(e1.p1) ELSE 0.0::DOUBLE END)) > 1e-09::DOUBLE)
  ) AS r
GROUP BY r.l0, r.l1, r.b
ORDER BY l0, l1, b;

SELECT r.l0 AS l0, r.b AS b, CAST(count(*) AS DOUBLE) AS s
FROM (
    SELECT coalesce(o1.atom, -1) AS l0, coalesce(o1.value, 0.0::DOUBLE) AS b
    FROM listed_Open AS o1
    WHERE NOT NOT (o1.atom IS NULL)
  AND (coalesce(o1.value, 1.0::DOUBLE) > 1e-09::DOUBLE)
  ) AS r
GROUP BY r.l0, r.b
ORDER BY l0, b;

SELECT world, a0 FROM listed_Open WHERE atom IS NOT NULL ORDER BY atom;

SELECT world, a0, a1 FROM listed_Link WHERE atom IS NOT NULL ORDER BY atom;

SELECT count(*) FROM "c_a";

SELECT count(*) FROM "c_a2";

SELECT l.atom, f.value FROM listed_Open l JOIN (SELECT t.world, d0.position AS p0, t.value FROM "p_Open" t JOIN domain d0 ON d0.world = t.world AND d0.constant = t.a0 AND d0.type = 'a' WHERE t.partition IN ('target') AND t.world IN (0)) f ON f.world = l.world AND l.p0 = f.p0 WHERE l.atom IS NOT NULL;

SELECT l.atom, f.value FROM listed_Link l JOIN (SELECT t.world, d0.position AS p0, d1.position AS p1, t.value FROM "p_Link" t JOIN domain d0 ON d0.world = t.world AND d0.constant = t.a0 AND d0.type = 'a2' JOIN domain d1 ON d1.world = t.world AND d1.constant = t.a1 AND d1.type = 'a2' WHERE t.partition IN ('target') AND t.world IN (0)) f ON f.world = l.world AND l.p0 = f.p0 AND l.p1 = f.p1 WHERE l.atom IS NOT NULL;
