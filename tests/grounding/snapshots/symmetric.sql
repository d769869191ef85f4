SELECT 0 AS world, 'person' AS type, count(*), bit_xor(hash(constant)), bool_and(constant = position) FROM domain WHERE world = 0 AND type = 'person' HAVING count(*) > 0 ORDER BY ALL;

(SELECT 0 FROM "p_Friends" LIMIT 1) UNION ALL (SELECT 1 FROM "p_Smokes" LIMIT 1) UNION ALL (SELECT 2 FROM "p_Cancer" LIMIT 1) UNION ALL (SELECT 3 FROM "p_Enemies" LIMIT 1) UNION ALL (SELECT 4 FROM "p_Age" LIMIT 1) UNION ALL (SELECT 5 FROM "p_Named" LIMIT 1) UNION ALL (SELECT 6 FROM "p_Born" LIMIT 1) UNION ALL (SELECT 7 FROM "p_Same" LIMIT 1);

(SELECT 0 FROM "p_Friends" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 1 FROM "p_Friends" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 2 FROM "p_Friends" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 3 FROM "p_Friends" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 4 FROM "p_Friends" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 5 FROM "p_Smokes" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 6 FROM "p_Smokes" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 7 FROM "p_Smokes" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 8 FROM "p_Smokes" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 9 FROM "p_Smokes" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 10 FROM "p_Enemies" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 11 FROM "p_Enemies" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 12 FROM "p_Enemies" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 13 FROM "p_Enemies" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 14 FROM "p_Enemies" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 15 FROM "p_Age" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 16 FROM "p_Age" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 17 FROM "p_Age" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 18 FROM "p_Age" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 19 FROM "p_Age" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 20 FROM "p_Named" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 21 FROM "p_Named" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 22 FROM "p_Named" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 23 FROM "p_Named" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 24 FROM "p_Named" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 25 FROM "p_Born" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 26 FROM "p_Born" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 27 FROM "p_Born" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 28 FROM "p_Born" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 29 FROM "p_Born" WHERE world IN (0) AND partition = 'truth' LIMIT 1);

SELECT coalesce(stats(name).has_unicode, true) FROM "c_person" LIMIT 1;

CREATE OR REPLACE TEMP TABLE "domain_person" AS SELECT world, constant AS a, position AS p FROM domain WHERE type = 'person' AND world IN (0) ORDER BY world, p;

CREATE OR REPLACE TEMP TABLE "known_Smokes" AS SELECT t.p0 AS atom, t.value::TINYINT AS value FROM (SELECT t.world, t.a0, t.a0 AS p0, t.value FROM "p_Smokes" t  WHERE t.partition = 'evidence' AND t.world IN (0) AND t.value IN (0, 1) ORDER BY t.world, t.a0) t ORDER BY atom;

SELECT count(*) FROM known_Smokes;

SELECT 0 AS part, count(*) AS n, count(*) FILTER (WHERE greatest(CASE WHEN k3.value IS NULL THEN d1.p ELSE -1 END, CASE WHEN k4.value IS NULL THEN d2.p ELSE -1 END) < 0) AS decided, count(*) FILTER (WHERE greatest(CASE WHEN k3.value IS NULL THEN d1.p ELSE -1 END, CASE WHEN k4.value IS NULL THEN d2.p ELSE -1 END) < 0) AS positive, 0 AS negative, 0 AS unlisted
FROM domain_person AS d1
  CROSS JOIN domain_person AS d2
  LEFT JOIN known_Smokes AS k3 ON (k3.atom = d1.p)
  LEFT JOIN known_Smokes AS k4 ON (k4.atom = d2.p)
WHERE ((d1.a = d2.a) IS NOT TRUE)
  AND ((k3.value IS NULL) OR (k3.value = 1))
  AND ((k4.value IS NULL) OR (k4.value = 1));

SELECT 0 AS part, count(*) AS n, count(*) FILTER (WHERE greatest(CASE WHEN k3.value IS NULL THEN d1.p ELSE -1 END, CASE WHEN k4.value IS NULL THEN d2.p ELSE -1 END, d1.p + 3) < 0) AS decided, count(*) FILTER (WHERE greatest(CASE WHEN k3.value IS NULL THEN d1.p ELSE -1 END, CASE WHEN k4.value IS NULL THEN d2.p ELSE -1 END, d1.p + 3) < 0) AS positive, 0 AS negative, 0 AS unlisted
FROM domain_person AS d1
  CROSS JOIN domain_person AS d2
  LEFT JOIN known_Smokes AS k3 ON (k3.atom = d1.p)
  LEFT JOIN known_Smokes AS k4 ON (k4.atom = d2.p)
WHERE ((d1.a = d2.a) IS NOT TRUE)
  AND ((k3.value IS NULL) OR (k3.value = 1))
  AND ((k4.value IS NULL) OR (k4.value = 1));

SELECT atom FROM known_Smokes;

SELECT least(r.l0, r.l1) AS l0, greatest(r.l0, r.l1) AS l1, CAST(count(*) AS DOUBLE) AS s
FROM (
    SELECT CASE WHEN k3.value IS NULL THEN d1.p ELSE -1 END AS l0, CASE WHEN k4.value IS NULL THEN d2.p ELSE -1 END AS l1
    FROM domain_person AS d1
      CROSS JOIN domain_person AS d2
      LEFT JOIN known_Smokes AS k3 ON (k3.atom = d1.p)
      LEFT JOIN known_Smokes AS k4 ON (k4.atom = d2.p)
    WHERE ((d1.a = d2.a) IS NOT TRUE)
  AND ((k3.value IS NULL) OR (k3.value = 1))
  AND ((k4.value IS NULL) OR (k4.value = 1))
  ) AS r
GROUP BY least(r.l0, r.l1), greatest(r.l0, r.l1)
ORDER BY l0, l1;

SELECT least(r.l0, r.l1) AS l0, greatest(r.l0, r.l1) AS l1, r.l2 AS l2, CAST(count(*) AS DOUBLE) AS s
FROM (
    SELECT CASE WHEN k3.value IS NULL THEN d1.p ELSE -1 END AS l0, CASE WHEN k4.value IS NULL THEN d2.p ELSE -1 END AS l1, d1.p + 3 AS l2
    FROM domain_person AS d1
      CROSS JOIN domain_person AS d2
      LEFT JOIN known_Smokes AS k3 ON (k3.atom = d1.p)
      LEFT JOIN known_Smokes AS k4 ON (k4.atom = d2.p)
    WHERE ((d1.a = d2.a) IS NOT TRUE)
  AND ((k3.value IS NULL) OR (k3.value = 1))
  AND ((k4.value IS NULL) OR (k4.value = 1))
  ) AS r
GROUP BY least(r.l0, r.l1), greatest(r.l0, r.l1), r.l2
ORDER BY l0, l1, l2;

SELECT world, constant FROM domain WHERE type = 'person' AND world IN (0) ORDER BY world, position;

SELECT count(*) FROM "c_person";
