SELECT 0 AS world, 'a' AS type, count(*), bit_xor(hash(constant)), bool_and(constant = position) FROM domain WHERE world = 0 AND type = 'a' HAVING count(*) > 0 UNION ALL SELECT 0 AS world, 'b' AS type, count(*), bit_xor(hash(constant)), bool_and(constant = position) FROM domain WHERE world = 0 AND type = 'b' HAVING count(*) > 0 ORDER BY ALL;

(SELECT 0 FROM "p_Link" LIMIT 1) UNION ALL (SELECT 1 FROM "p_Closed" LIMIT 1) UNION ALL (SELECT 2 FROM "p_Knows" LIMIT 1) UNION ALL (SELECT 3 FROM "p_Open" LIMIT 1);

(SELECT 0 FROM "p_Link" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 1 FROM "p_Link" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 2 FROM "p_Link" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 3 FROM "p_Link" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 4 FROM "p_Link" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 5 FROM "p_Closed" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 6 FROM "p_Closed" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 7 FROM "p_Closed" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 8 FROM "p_Closed" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 9 FROM "p_Closed" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 10 FROM "p_Knows" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 11 FROM "p_Knows" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 12 FROM "p_Knows" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 13 FROM "p_Knows" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 14 FROM "p_Knows" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 15 FROM "p_Open" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 16 FROM "p_Open" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 17 FROM "p_Open" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 18 FROM "p_Open" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 19 FROM "p_Open" WHERE world IN (0) AND partition = 'truth' LIMIT 1);

SELECT coalesce(stats(name).has_unicode, true) FROM "c_a" LIMIT 1;

SELECT coalesce(stats(name).has_unicode, true) FROM "c_b" LIMIT 1;

CREATE OR REPLACE TEMP TABLE "listed_Link" AS SELECT *, (0 + row_number() OVER () - 1)::INTEGER AS atom FROM (SELECT t.world, t.a0, t.a0 AS p0, t.a1, t.a1 AS p1, NULL::DOUBLE AS value FROM "p_Link" t  WHERE t.partition = 'target' AND t.world IN (0) ORDER BY world, p0, p1);

SELECT world, count(atom) FROM listed_Link GROUP BY world;

CREATE OR REPLACE TEMP TABLE "listed_Open" AS SELECT * EXCLUDE (open), CASE WHEN open THEN (9 + row_number() OVER (PARTITION BY open ORDER BY world, p0) - 1)::INTEGER END AS atom FROM (SELECT t.world, t.a0, t.a0 AS p0, t.open, t.value FROM (SELECT world, a0, bool_and(partition = 'target' OR value IS NULL) AS open, max(value) FILTER (partition = 'evidence') AS value FROM "p_Open" WHERE partition <> 'truth' AND world IN (0) GROUP BY world, a0) t ) ORDER BY world, p0;

SELECT world, count(atom) FROM listed_Open GROUP BY world;

CREATE OR REPLACE TEMP TABLE "stated_Closed" AS SELECT t.world, t.a0, t.a0 AS p0, t.value FROM "p_Closed" t  WHERE t.partition = 'evidence' AND t.world IN (0) AND t.value IS NOT NULL ORDER BY t.world, t.a0;

CREATE OR REPLACE TEMP TABLE "observed_Knows" AS SELECT t.world, t.a0, t.a0 AS p0, t.a1, t.a1 AS p1, t.value FROM "p_Knows" t  WHERE t.partition = 'evidence' AND t.world IN (0) AND t.value > 0 ORDER BY t.world, t.a0, t.a1;

EXPLAIN (FORMAT JSON) SELECT o1.a0 AS g0
FROM stated_Closed AS o1
  JOIN (
    SELECT DISTINCT i.a0 AS a0, i.p0 AS p0
    FROM listed_Link AS i
  ) AS s2 ON (s2.a0 = o1.a0);

SELECT 0 AS part, count(*) FILTER (WHERE (q.undefined = 0) AND (q.width > 0) AND (q.highest > 1e-09::DOUBLE)) + count(*) FILTER (WHERE (q.undefined = 0) AND (q.width = 0) AND (greatest(q.b, 0.0::DOUBLE) > 1e-09::DOUBLE)) AS n, count(*) FILTER (WHERE (q.undefined = 0) AND (q.width = 0) AND (greatest(q.b, 0.0::DOUBLE) > 1e-09::DOUBLE)) AS decided, coalesce(sum(greatest(q.b, 0.0::DOUBLE)) FILTER (WHERE (q.undefined = 0) AND (q.width = 0) AND (greatest(q.b, 0.0::DOUBLE) > 1e-09::DOUBLE)), 0.0::DOUBLE) AS positive, 0.0::DOUBLE AS negative, 0 AS unlisted, coalesce(max(q.width), 0) AS width, count(*) FILTER (WHERE q.undefined = 0) AS total, count(*) + (-1 * count(*) FILTER (WHERE q.undefined = 0)) AS undefined
FROM (
    SELECT count(*) FILTER (WHERE NOT (r.atom IS NULL) AND (r.coefficient <> 0)) AS width, sum(r.b) AS b, sum(r.b) + coalesce(sum(greatest(r.coefficient, 0)) FILTER (WHERE NOT (r.atom IS NULL) AND (r.coefficient <> 0)), 0) AS highest, sum(r.undefined) AS undefined
    FROM (
        SELECT t.g0 AS g0, t.atom AS atom, sum(t.coefficient ORDER BY t.coefficient) AS coefficient, sum(t.b ORDER BY t.b) AS b, sum(t.undefined) AS undefined
        FROM (
            SELECT g.g0 AS g0, m.atom AS atom, CASE WHEN NOT (m.atom IS NULL) THEN 1.0::DOUBLE * coalesce(m.value, 0.0::DOUBLE) ELSE 0.0::DOUBLE END AS coefficient, CASE WHEN NOT (m.atom IS NULL) THEN 0.0::DOUBLE ELSE 1.0::DOUBLE * coalesce(m.value, 0.0::DOUBLE) END AS b, 0 AS undefined
            FROM (
                SELECT DISTINCT o1.a0 AS g0
                FROM stated_Closed AS o1
                  JOIN (
                    SELECT DISTINCT i.a0 AS a0, i.p0 AS p0
                    FROM listed_Link AS i
                  ) AS s2 ON (s2.a0 = o1.a0)
              ) AS g
              LEFT JOIN (
                SELECT g.g0 AS g0, o1.a1 AS x_B, o1.atom AS atom, coalesce(o1.value, 1.0::DOUBLE) AS value
                FROM (
                    SELECT DISTINCT o1.a0 AS g0
                    FROM stated_Closed AS o1
                      JOIN (
                        SELECT DISTINCT i.a0 AS a0, i.p0 AS p0
                        FROM listed_Link AS i
                      ) AS s2 ON (s2.a0 = o1.a0)
                  ) AS g
                  JOIN listed_Link AS o1 ON (o1.a0 = g.g0)
                WHERE ((row(g.g0, o1.a1) IN (SELECT row(f.a0, f.a1) AS k
FROM observed_Knows AS f)) IS TRUE)
              ) AS m ON (m.g0 = g.g0)
            UNION ALL
            SELECT g.g0 AS g0, CAST(NULL AS INTEGER) AS atom, CASE WHEN NOT (CAST(NULL AS INTEGER) IS NULL) THEN -0.5::DOUBLE * o1.value ELSE 0.0::DOUBLE END AS coefficient, CASE WHEN NOT (CAST(NULL AS INTEGER) IS NULL) THEN 0.0::DOUBLE ELSE -0.5::DOUBLE * o1.value END AS b, 0 AS undefined
            FROM (
                SELECT DISTINCT o1.a0 AS g0
                FROM stated_Closed AS o1
                  JOIN (
                    SELECT DISTINCT i.a0 AS a0, i.p0 AS p0
                    FROM listed_Link AS i
                  ) AS s2 ON (s2.a0 = o1.a0)
              ) AS g
              JOIN stated_Closed AS o1 ON (o1.a0 = g.g0)
          ) AS t
        GROUP BY t.g0, t.atom
      ) AS r
    GROUP BY r.g0
  ) AS q;

EXPLAIN (FORMAT JSON) SELECT o1.a0 AS g0
FROM listed_Open AS o1
  JOIN (
    SELECT DISTINCT i.a0 AS a0, i.p0 AS p0
    FROM listed_Link AS i
  ) AS s2 ON (s2.a0 = o1.a0);

SELECT 0 AS part, count(*) FILTER (WHERE (q.undefined = 0) AND (q.width > 0) AND (q.highest > 1e-09::DOUBLE)) + count(*) FILTER (WHERE (q.undefined = 0) AND (q.width = 0) AND (greatest(q.b, 0.0::DOUBLE) > 1e-09::DOUBLE)) AS n, count(*) FILTER (WHERE (q.undefined = 0) AND (q.width = 0) AND (greatest(q.b, 0.0::DOUBLE) > 1e-09::DOUBLE)) AS decided, coalesce(sum(greatest(q.b, 0.0::DOUBLE)) FILTER (WHERE (q.undefined = 0) AND (q.width = 0) AND (greatest(q.b, 0.0::DOUBLE) > 1e-09::DOUBLE)), 0.0::DOUBLE) AS positive, 0.0::DOUBLE AS negative, 0 AS unlisted, coalesce(max(q.width), 0) AS width, count(*) FILTER (WHERE q.undefined = 0) AS total, count(*) + (-1 * count(*) FILTER (WHERE q.undefined = 0)) AS undefined
FROM (
    SELECT count(*) FILTER (WHERE NOT (r.atom IS NULL) AND (r.coefficient <> 0)) AS width, sum(r.b) AS b, sum(r.b) + coalesce(sum(greatest(r.coefficient, 0)) FILTER (WHERE NOT (r.atom IS NULL) AND (r.coefficient <> 0)), 0) AS highest, sum(r.undefined) AS undefined
    FROM (
        SELECT t.g0 AS g0, t.atom AS atom, sum(t.coefficient ORDER BY t.coefficient) AS coefficient, sum(t.b ORDER BY t.b) AS b, sum(t.undefined) AS undefined
        FROM (
            SELECT g.g0 AS g0, o1.atom AS atom, CASE WHEN NOT (o1.atom IS NULL) THEN coalesce(-1.0::DOUBLE * (1.0::DOUBLE / nullif(CAST((SELECT count(DISTINCT c.x) AS n
FROM (
    SELECT g.g0 AS g0, o1.a1 AS x
    FROM (
        SELECT DISTINCT o1.a0 AS g0
        FROM listed_Open AS o1
          JOIN (
            SELECT DISTINCT i.a0 AS a0, i.p0 AS p0
            FROM listed_Link AS i
          ) AS s2 ON (s2.a0 = o1.a0)
      ) AS g
      JOIN listed_Link AS o1 ON (o1.a0 = g.g0)
  ) AS c
WHERE (c.g0 = g.g0)) AS DOUBLE), 0.0::DOUBLE)) * coalesce(o1.value, 1.0::DOUBLE), 0.0::DOUBLE) ELSE 0.0::DOUBLE END AS coefficient, CASE WHEN NOT (o1.atom IS NULL) THEN 0.0::DOUBLE ELSE coalesce(-1.0::DOUBLE * (1.0::DOUBLE / nullif(CAST((SELECT count(DISTINCT c.x) AS n
FROM (
    SELECT g.g0 AS g0, o1.a1 AS x
    FROM (
        SELECT DISTINCT o1.a0 AS g0
        FROM listed_Open AS o1
          JOIN (
            SELECT DISTINCT i.a0 AS a0, i.p0 AS p0
            FROM listed_Link AS i
          ) AS s2 ON (s2.a0 = o1.a0)
      ) AS g
      JOIN listed_Link AS o1 ON (o1.a0 = g.g0)
  ) AS c
WHERE (c.g0 = g.g0)) AS DOUBLE), 0.0::DOUBLE)) * coalesce(o1.value, 1.0::DOUBLE), 0.0::DOUBLE) END AS b, CAST((-1.0::DOUBLE * (1.0::DOUBLE / nullif(CAST((SELECT count(DISTINCT c.x) AS n
FROM (
    SELECT g.g0 AS g0, o1.a1 AS x
    FROM (
        SELECT DISTINCT o1.a0 AS g0
        FROM listed_Open AS o1
          JOIN (
            SELECT DISTINCT i.a0 AS a0, i.p0 AS p0
            FROM listed_Link AS i
          ) AS s2 ON (s2.a0 = o1.a0)
      ) AS g
      JOIN listed_Link AS o1 ON (o1.a0 = g.g0)
  ) AS c
WHERE (c.g0 = g.g0)) AS DOUBLE), 0.0::DOUBLE)) * coalesce(o1.value, 1.0::DOUBLE)) IS NULL AS INTEGER) AS undefined
            FROM (
                SELECT DISTINCT o1.a0 AS g0
                FROM listed_Open AS o1
                  JOIN (
                    SELECT DISTINCT i.a0 AS a0, i.p0 AS p0
                    FROM listed_Link AS i
                  ) AS s2 ON (s2.a0 = o1.a0)
              ) AS g
              JOIN listed_Link AS o1 ON (o1.a0 = g.g0)
            UNION ALL
            SELECT g.g0 AS g0, o1.atom AS atom, CASE WHEN NOT (o1.atom IS NULL) THEN 1.0::DOUBLE * coalesce(o1.value, 1.0::DOUBLE) ELSE 0.0::DOUBLE END AS coefficient, CASE WHEN NOT (o1.atom IS NULL) THEN 0.0::DOUBLE ELSE 1.0::DOUBLE * coalesce(o1.value, 1.0::DOUBLE) END AS b, 0 AS undefined
            FROM (
                SELECT DISTINCT o1.a0 AS g0
                FROM listed_Open AS o1
                  JOIN (
                    SELECT DISTINCT i.a0 AS a0, i.p0 AS p0
                    FROM listed_Link AS i
                  ) AS s2 ON (s2.a0 = o1.a0)
              ) AS g
              JOIN listed_Open AS o1 ON (o1.a0 = g.g0)
          ) AS t
        GROUP BY t.g0, t.atom
      ) AS r
    GROUP BY r.g0
  ) AS q;

EXPLAIN (FORMAT JSON) SELECT o1.a0 AS g0, o2.a0 AS g1
FROM listed_Open AS o1
  CROSS JOIN listed_Open AS o2;

SELECT 0 AS part, count(*) FILTER (WHERE (q.undefined = 0) AND (q.width > 0) AND (q.highest > 1e-09::DOUBLE)) + count(*) FILTER (WHERE (q.undefined = 0) AND (q.width = 0) AND (greatest(q.b, 0.0::DOUBLE) > 1e-09::DOUBLE)) AS n, count(*) FILTER (WHERE (q.undefined = 0) AND (q.width = 0) AND (greatest(q.b, 0.0::DOUBLE) > 1e-09::DOUBLE)) AS decided, coalesce(sum(greatest(q.b, 0.0::DOUBLE)) FILTER (WHERE (q.undefined = 0) AND (q.width = 0) AND (greatest(q.b, 0.0::DOUBLE) > 1e-09::DOUBLE)), 0.0::DOUBLE) AS positive, 0.0::DOUBLE AS negative, 0 AS unlisted, coalesce(max(q.width), 0) AS width, count(*) FILTER (WHERE q.undefined = 0) AS total, count(*) + (-1 * count(*) FILTER (WHERE q.undefined = 0)) AS undefined
FROM (
    SELECT count(*) FILTER (WHERE NOT (r.atom IS NULL) AND (r.coefficient <> 0)) AS width, sum(r.b) + 0.7::DOUBLE AS b, (sum(r.b) + 0.7::DOUBLE) + coalesce(sum(greatest(r.coefficient, 0)) FILTER (WHERE NOT (r.atom IS NULL) AND (r.coefficient <> 0)), 0) AS highest, sum(r.undefined) AS undefined
    FROM (
        SELECT t.g0 AS g0, t.g1 AS g1, t.atom AS atom, sum(t.coefficient ORDER BY t.coefficient) AS coefficient, sum(t.b ORDER BY t.b) AS b, sum(t.undefined) AS undefined
        FROM (
            SELECT g.g0 AS g0, g.g1 AS g1, o1.atom AS atom, CASE WHEN NOT (o1.atom IS NULL) THEN -1.0::DOUBLE * coalesce(o1.value, 1.0::DOUBLE) ELSE 0.0::DOUBLE END AS coefficient, CASE WHEN NOT (o1.atom IS NULL) THEN 0.0::DOUBLE ELSE -1.0::DOUBLE * coalesce(o1.value, 1.0::DOUBLE) END AS b, 0 AS undefined
            FROM (
                SELECT DISTINCT o1.a0 AS g0, o2.a0 AS g1
                FROM listed_Open AS o1
                  CROSS JOIN listed_Open AS o2
              ) AS g
              JOIN listed_Open AS o1 ON (o1.a0 = g.g0)
            UNION ALL
            SELECT g.g0 AS g0, g.g1 AS g1, o1.atom AS atom, CASE WHEN NOT (o1.atom IS NULL) THEN -1.0::DOUBLE * coalesce(o1.value, 1.0::DOUBLE) ELSE 0.0::DOUBLE END AS coefficient, CASE WHEN NOT (o1.atom IS NULL) THEN 0.0::DOUBLE ELSE -1.0::DOUBLE * coalesce(o1.value, 1.0::DOUBLE) END AS b, 0 AS undefined
            FROM (
                SELECT DISTINCT o1.a0 AS g0, o2.a0 AS g1
                FROM listed_Open AS o1
                  CROSS JOIN listed_Open AS o2
              ) AS g
              JOIN listed_Open AS o1 ON (o1.a0 = g.g1)
          ) AS t
        GROUP BY t.g0, t.g1, t.atom
      ) AS r
    GROUP BY r.g0, r.g1
  ) AS q;

SELECT r.g0 AS k0, coalesce(r.atom, -1) AS atom, r.coefficient AS coefficient, r.b AS b, CAST(r.undefined AS INTEGER) AS undefined
FROM (
    SELECT t.g0 AS g0, t.atom AS atom, sum(t.coefficient ORDER BY t.coefficient) AS coefficient, sum(t.b ORDER BY t.b) AS b, sum(t.undefined) AS undefined
    FROM (
        SELECT g.g0 AS g0, m.atom AS atom, CASE WHEN NOT (m.atom IS NULL) THEN 1.0::DOUBLE * coalesce(m.value, 0.0::DOUBLE) ELSE 0.0::DOUBLE END AS coefficient, CASE WHEN NOT (m.atom IS NULL) THEN 0.0::DOUBLE ELSE 1.0::DOUBLE * coalesce(m.value, 0.0::DOUBLE) END AS b, 0 AS undefined
        FROM (
            SELECT DISTINCT o1.a0 AS g0
            FROM stated_Closed AS o1
              JOIN (
                SELECT DISTINCT i.a0 AS a0, i.p0 AS p0
                FROM listed_Link AS i
              ) AS s2 ON (s2.a0 = o1.a0)
          ) AS g
          LEFT JOIN (
            SELECT g.g0 AS g0, o1.a1 AS x_B, o1.atom AS atom, coalesce(o1.value, 1.0::DOUBLE) AS value
            FROM (
                SELECT DISTINCT o1.a0 AS g0
                FROM stated_Closed AS o1
                  JOIN (
                    SELECT DISTINCT i.a0 AS a0, i.p0 AS p0
                    FROM listed_Link AS i
                  ) AS s2 ON (s2.a0 = o1.a0)
              ) AS g
              JOIN listed_Link AS o1 ON (o1.a0 = g.g0)
            WHERE ((row(g.g0, o1.a1) IN (SELECT row(f.a0, f.a1) AS k
FROM observed_Knows AS f)) IS TRUE)
          ) AS m ON (m.g0 = g.g0)
        UNION ALL
        SELECT g.g0 AS g0, CAST(NULL AS INTEGER) AS atom, CASE WHEN NOT (CAST(NULL AS INTEGER) IS NULL) THEN -0.5::DOUBLE * o1.value ELSE 0.0::DOUBLE END AS coefficient, CASE WHEN NOT (CAST(NULL AS INTEGER) IS NULL) THEN 0.0::DOUBLE ELSE -0.5::DOUBLE * o1.value END AS b, 0 AS undefined
        FROM (
            SELECT DISTINCT o1.a0 AS g0
            FROM stated_Closed AS o1
              JOIN (
                SELECT DISTINCT i.a0 AS a0, i.p0 AS p0
                FROM listed_Link AS i
              ) AS s2 ON (s2.a0 = o1.a0)
          ) AS g
          JOIN stated_Closed AS o1 ON (o1.a0 = g.g0)
      ) AS t
    GROUP BY t.g0, t.atom
  ) AS r
ORDER BY k0, atom;

SELECT r.g0 AS k0, coalesce(r.atom, -1) AS atom, r.coefficient AS coefficient, r.b AS b, CAST(r.undefined AS INTEGER) AS undefined
FROM (
    SELECT t.g0 AS g0, t.atom AS atom, sum(t.coefficient ORDER BY t.coefficient) AS coefficient, sum(t.b ORDER BY t.b) AS b, sum(t.undefined) AS undefined
    FROM (
        SELECT g.g0 AS g0, o1.atom AS atom, CASE WHEN NOT (o1.atom IS NULL) THEN coalesce(-1.0::DOUBLE * (1.0::DOUBLE / nullif(CAST((SELECT count(DISTINCT c.x) AS n
FROM (
    SELECT g.g0 AS g0, o1.a1 AS x
    FROM (
        SELECT DISTINCT o1.a0 AS g0
        FROM listed_Open AS o1
          JOIN (
            SELECT DISTINCT i.a0 AS a0, i.p0 AS p0
            FROM listed_Link AS i
          ) AS s2 ON (s2.a0 = o1.a0)
      ) AS g
      JOIN listed_Link AS o1 ON (o1.a0 = g.g0)
  ) AS c
WHERE (c.g0 = g.g0)) AS DOUBLE), 0.0::DOUBLE)) * coalesce(o1.value, 1.0::DOUBLE), 0.0::DOUBLE) ELSE 0.0::DOUBLE END AS coefficient, CASE WHEN NOT (o1.atom IS NULL) THEN 0.0::DOUBLE ELSE coalesce(-1.0::DOUBLE * (1.0::DOUBLE / nullif(CAST((SELECT count(DISTINCT c.x) AS n
FROM (
    SELECT g.g0 AS g0, o1.a1 AS x
    FROM (
        SELECT DISTINCT o1.a0 AS g0
        FROM listed_Open AS o1
          JOIN (
            SELECT DISTINCT i.a0 AS a0, i.p0 AS p0
            FROM listed_Link AS i
          ) AS s2 ON (s2.a0 = o1.a0)
      ) AS g
      JOIN listed_Link AS o1 ON (o1.a0 = g.g0)
  ) AS c
WHERE (c.g0 = g.g0)) AS DOUBLE), 0.0::DOUBLE)) * coalesce(o1.value, 1.0::DOUBLE), 0.0::DOUBLE) END AS b, CAST((-1.0::DOUBLE * (1.0::DOUBLE / nullif(CAST((SELECT count(DISTINCT c.x) AS n
FROM (
    SELECT g.g0 AS g0, o1.a1 AS x
    FROM (
        SELECT DISTINCT o1.a0 AS g0
        FROM listed_Open AS o1
          JOIN (
            SELECT DISTINCT i.a0 AS a0, i.p0 AS p0
            FROM listed_Link AS i
          ) AS s2 ON (s2.a0 = o1.a0)
      ) AS g
      JOIN listed_Link AS o1 ON (o1.a0 = g.g0)
  ) AS c
WHERE (c.g0 = g.g0)) AS DOUBLE), 0.0::DOUBLE)) * coalesce(o1.value, 1.0::DOUBLE)) IS NULL AS INTEGER) AS undefined
        FROM (
            SELECT DISTINCT o1.a0 AS g0
            FROM listed_Open AS o1
              JOIN (
                SELECT DISTINCT i.a0 AS a0, i.p0 AS p0
                FROM listed_Link AS i
              ) AS s2 ON (s2.a0 = o1.a0)
          ) AS g
          JOIN listed_Link AS o1 ON (o1.a0 = g.g0)
        UNION ALL
        SELECT g.g0 AS g0, o1.atom AS atom, CASE WHEN NOT (o1.atom IS NULL) THEN 1.0::DOUBLE * coalesce(o1.value, 1.0::DOUBLE) ELSE 0.0::DOUBLE END AS coefficient, CASE WHEN NOT (o1.atom IS NULL) THEN 0.0::DOUBLE ELSE 1.0::DOUBLE * coalesce(o1.value, 1.0::DOUBLE) END AS b, 0 AS undefined
        FROM (
            SELECT DISTINCT o1.a0 AS g0
            FROM listed_Open AS o1
              JOIN (
                SELECT DISTINCT i.a0 AS a0, i.p0 AS p0
                FROM listed_Link AS i
              ) AS s2 ON (s2.a0 = o1.a0)
          ) AS g
          JOIN listed_Open AS o1 ON (o1.a0 = g.g0)
      ) AS t
    GROUP BY t.g0, t.atom
  ) AS r
ORDER BY k0, atom;

SELECT r.g0 AS k0, r.g1 AS k1, coalesce(r.atom, -1) AS atom, r.coefficient AS coefficient, r.b AS b, CAST(r.undefined AS INTEGER) AS undefined
FROM (
    SELECT t.g0 AS g0, t.g1 AS g1, t.atom AS atom, sum(t.coefficient ORDER BY t.coefficient) AS coefficient, sum(t.b ORDER BY t.b) AS b, sum(t.undefined) AS undefined
    FROM (
        SELECT g.g0 AS g0, g.g1 AS g1, o1.atom AS atom, CASE WHEN NOT (o1.atom IS NULL) THEN -1.0::DOUBLE * coalesce(o1.value, 1.0::DOUBLE) ELSE 0.0::DOUBLE END AS coefficient, CASE WHEN NOT (o1.atom IS NULL) THEN 0.0::DOUBLE ELSE -1.0::DOUBLE * coalesce(o1.value, 1.0::DOUBLE) END AS b, 0 AS undefined
        FROM (
            SELECT DISTINCT o1.a0 AS g0, o2.a0 AS g1
            FROM listed_Open AS o1
              CROSS JOIN listed_Open AS o2
          ) AS g
          JOIN listed_Open AS o1 ON (o1.a0 = g.g0)
        UNION ALL
        SELECT g.g0 AS g0, g.g1 AS g1, o1.atom AS atom, CASE WHEN NOT (o1.atom IS NULL) THEN -1.0::DOUBLE * coalesce(o1.value, 1.0::DOUBLE) ELSE 0.0::DOUBLE END AS coefficient, CASE WHEN NOT (o1.atom IS NULL) THEN 0.0::DOUBLE ELSE -1.0::DOUBLE * coalesce(o1.value, 1.0::DOUBLE) END AS b, 0 AS undefined
        FROM (
            SELECT DISTINCT o1.a0 AS g0, o2.a0 AS g1
            FROM listed_Open AS o1
              CROSS JOIN listed_Open AS o2
          ) AS g
          JOIN listed_Open AS o1 ON (o1.a0 = g.g1)
      ) AS t
    GROUP BY t.g0, t.g1, t.atom
  ) AS r
ORDER BY k0, k1, atom;

SELECT world, a0, a1 FROM listed_Link WHERE atom IS NOT NULL ORDER BY atom;

SELECT world, a0 FROM listed_Open WHERE atom IS NOT NULL ORDER BY atom;

SELECT count(*) FROM "c_a";

SELECT count(*) FROM "c_b";

SELECT l.atom, f.value FROM listed_Link l JOIN (SELECT t.world, d0.position AS p0, d1.position AS p1, t.value FROM "p_Link" t JOIN domain d0 ON d0.world = t.world AND d0.constant = t.a0 AND d0.type = 'a' JOIN domain d1 ON d1.world = t.world AND d1.constant = t.a1 AND d1.type = 'b' WHERE t.partition IN ('target') AND t.world IN (0)) f ON f.world = l.world AND l.p0 = f.p0 AND l.p1 = f.p1 WHERE l.atom IS NOT NULL;

SELECT l.atom, f.value FROM listed_Open l JOIN (SELECT t.world, d0.position AS p0, t.value FROM "p_Open" t JOIN domain d0 ON d0.world = t.world AND d0.constant = t.a0 AND d0.type = 'a' WHERE t.partition IN ('target') AND t.world IN (0)) f ON f.world = l.world AND l.p0 = f.p0 WHERE l.atom IS NOT NULL;
