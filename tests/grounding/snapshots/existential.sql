SELECT 0 AS world, 'person' AS type, count(*), bit_xor(hash(constant)), bool_and(constant = position) FROM domain WHERE world = 0 AND type = 'person' HAVING count(*) > 0 ORDER BY ALL;

(SELECT 0 FROM "p_Friends" LIMIT 1) UNION ALL (SELECT 1 FROM "p_Smokes" LIMIT 1) UNION ALL (SELECT 2 FROM "p_Cancer" LIMIT 1) UNION ALL (SELECT 3 FROM "p_Enemies" LIMIT 1) UNION ALL (SELECT 4 FROM "p_Age" LIMIT 1) UNION ALL (SELECT 5 FROM "p_Named" LIMIT 1) UNION ALL (SELECT 6 FROM "p_Born" LIMIT 1) UNION ALL (SELECT 7 FROM "p_Same" LIMIT 1);

(SELECT 0 FROM "p_Friends" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 1 FROM "p_Friends" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 2 FROM "p_Friends" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 3 FROM "p_Friends" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 4 FROM "p_Friends" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 5 FROM "p_Smokes" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 6 FROM "p_Smokes" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 7 FROM "p_Smokes" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 8 FROM "p_Smokes" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 9 FROM "p_Smokes" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 10 FROM "p_Enemies" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 11 FROM "p_Enemies" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 12 FROM "p_Enemies" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 13 FROM "p_Enemies" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 14 FROM "p_Enemies" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 15 FROM "p_Age" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 16 FROM "p_Age" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 17 FROM "p_Age" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 18 FROM "p_Age" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 19 FROM "p_Age" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 20 FROM "p_Named" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 21 FROM "p_Named" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 22 FROM "p_Named" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 23 FROM "p_Named" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 24 FROM "p_Named" WHERE world IN (0) AND partition = 'truth' LIMIT 1) UNION ALL (SELECT 25 FROM "p_Born" WHERE world IN (0) AND partition = 'evidence' LIMIT 1) UNION ALL (SELECT 26 FROM "p_Born" WHERE world IN (0) AND partition = 'evidence' AND value IS NULL LIMIT 1) UNION ALL (SELECT 27 FROM "p_Born" WHERE world IN (0) AND partition = 'evidence' AND value > 0 AND value < 1 LIMIT 1) UNION ALL (SELECT 28 FROM "p_Born" WHERE world IN (0) AND partition = 'target' LIMIT 1) UNION ALL (SELECT 29 FROM "p_Born" WHERE world IN (0) AND partition = 'truth' LIMIT 1);

SELECT coalesce(stats(name).has_unicode, true) FROM "c_person" LIMIT 1;

CREATE OR REPLACE TEMP TABLE "domain_person" AS SELECT world, constant AS a, position AS p FROM domain WHERE type = 'person' AND world IN (0) ORDER BY world, p;

CREATE OR REPLACE TEMP TABLE "facts_Friends" AS SELECT t.world, t.a0, t.a0 AS p0, t.a1, t.a1 AS p1 FROM "p_Friends" t  WHERE t.partition = 'evidence' AND t.world IN (0) AND t.value = 1 ORDER BY t.world, t.a0, t.a1;

CREATE OR REPLACE TEMP TABLE "known_Smokes" AS SELECT t.p0 AS atom, t.value::TINYINT AS value FROM (SELECT t.world, t.a0, t.a0 AS p0, t.value FROM "p_Smokes" t  WHERE t.partition = 'evidence' AND t.world IN (0) AND t.value IN (0, 1) ORDER BY t.world, t.a0) t ORDER BY atom;

SELECT count(*) FROM known_Smokes;

SELECT 0 AS part, count(*) AS n, 0 AS decided, 0 AS positive, 0 AS negative, 0 AS unlisted
FROM domain_person AS d1
  ANTI JOIN facts_Friends AS x2 ON (x2.a0 = d1.a) AND (x2.a1 = 0)
  ANTI JOIN facts_Friends AS x3 ON (x3.a0 = d1.a) AND (x3.a1 = 1)
  ANTI JOIN facts_Friends AS x4 ON (x4.a0 = d1.a) AND (x4.a1 = 2);

SELECT 0 AS part, count(*) AS n, count(*) FILTER (WHERE greatest(d1.p + 3, CASE WHEN k4.value IS NULL THEN 2 ELSE -1 END) < 0) AS decided, count(*) FILTER (WHERE greatest(d1.p + 3, CASE WHEN k4.value IS NULL THEN 2 ELSE -1 END) < 0) AS positive, 0 AS negative, 0 AS unlisted
FROM domain_person AS d1
  ANTI JOIN facts_Friends AS x2 ON (x2.a0 = d1.a) AND (x2.a1 = 0)
  ANTI JOIN facts_Friends AS x3 ON (x3.a0 = d1.a) AND (x3.a1 = 1)
  LEFT JOIN known_Smokes AS k4 ON (k4.atom = 2)
WHERE ((k4.value IS NULL) OR (k4.value = 0));

SELECT 0 AS part, count(*) AS n, count(*) FILTER (WHERE greatest(d1.p + 3, CASE WHEN k4.value IS NULL THEN 1 ELSE -1 END) < 0) AS decided, count(*) FILTER (WHERE greatest(d1.p + 3, CASE WHEN k4.value IS NULL THEN 1 ELSE -1 END) < 0) AS positive, 0 AS negative, 0 AS unlisted
FROM domain_person AS d1
  ANTI JOIN facts_Friends AS x2 ON (x2.a0 = d1.a) AND (x2.a1 = 0)
  ANTI JOIN facts_Friends AS x3 ON (x3.a0 = d1.a) AND (x3.a1 = 2)
  LEFT JOIN known_Smokes AS k4 ON (k4.atom = 1)
WHERE ((k4.value IS NULL) OR (k4.value = 0));

SELECT 0 AS part, count(*) AS n, count(*) FILTER (WHERE greatest(d1.p + 3, CASE WHEN k3.value IS NULL THEN 1 ELSE -1 END, CASE WHEN k4.value IS NULL THEN 2 ELSE -1 END) < 0) AS decided, count(*) FILTER (WHERE greatest(d1.p + 3, CASE WHEN k3.value IS NULL THEN 1 ELSE -1 END, CASE WHEN k4.value IS NULL THEN 2 ELSE -1 END) < 0) AS positive, 0 AS negative, 0 AS unlisted
FROM domain_person AS d1
  ANTI JOIN facts_Friends AS x2 ON (x2.a0 = d1.a) AND (x2.a1 = 0)
  LEFT JOIN known_Smokes AS k3 ON (k3.atom = 1)
  LEFT JOIN known_Smokes AS k4 ON (k4.atom = 2)
WHERE ((k3.value IS NULL) OR (k3.value = 0))
  AND ((k4.value IS NULL) OR (k4.value = 0));

SELECT 0 AS part, count(*) AS n, count(*) FILTER (WHERE greatest(CASE WHEN k4.value IS NULL THEN 0 ELSE -1 END, d1.p + 3) < 0) AS decided, count(*) FILTER (WHERE greatest(CASE WHEN k4.value IS NULL THEN 0 ELSE -1 END, d1.p + 3) < 0) AS positive, 0 AS negative, 0 AS unlisted
FROM domain_person AS d1
  ANTI JOIN facts_Friends AS x2 ON (x2.a0 = d1.a) AND (x2.a1 = 1)
  ANTI JOIN facts_Friends AS x3 ON (x3.a0 = d1.a) AND (x3.a1 = 2)
  LEFT JOIN known_Smokes AS k4 ON (k4.atom = 0)
WHERE ((k4.value IS NULL) OR (k4.value = 0));

SELECT 0 AS part, count(*) AS n, count(*) FILTER (WHERE greatest(CASE WHEN k3.value IS NULL THEN 0 ELSE -1 END, d1.p + 3, CASE WHEN k4.value IS NULL THEN 2 ELSE -1 END) < 0) AS decided, count(*) FILTER (WHERE greatest(CASE WHEN k3.value IS NULL THEN 0 ELSE -1 END, d1.p + 3, CASE WHEN k4.value IS NULL THEN 2 ELSE -1 END) < 0) AS positive, 0 AS negative, 0 AS unlisted
FROM domain_person AS d1
  ANTI JOIN facts_Friends AS x2 ON (x2.a0 = d1.a) AND (x2.a1 = 1)
  LEFT JOIN known_Smokes AS k3 ON (k3.atom = 0)
  LEFT JOIN known_Smokes AS k4 ON (k4.atom = 2)
WHERE ((k3.value IS NULL) OR (k3.value = 0))
  AND ((k4.value IS NULL) OR (k4.value = 0));

SELECT 0 AS part, count(*) AS n, count(*) FILTER (WHERE greatest(CASE WHEN k3.value IS NULL THEN 0 ELSE -1 END, d1.p + 3, CASE WHEN k4.value IS NULL THEN 1 ELSE -1 END) < 0) AS decided, count(*) FILTER (WHERE greatest(CASE WHEN k3.value IS NULL THEN 0 ELSE -1 END, d1.p + 3, CASE WHEN k4.value IS NULL THEN 1 ELSE -1 END) < 0) AS positive, 0 AS negative, 0 AS unlisted
FROM domain_person AS d1
  ANTI JOIN facts_Friends AS x2 ON (x2.a0 = d1.a) AND (x2.a1 = 2)
  LEFT JOIN known_Smokes AS k3 ON (k3.atom = 0)
  LEFT JOIN known_Smokes AS k4 ON (k4.atom = 1)
WHERE ((k3.value IS NULL) OR (k3.value = 0))
  AND ((k4.value IS NULL) OR (k4.value = 0));

SELECT 0 AS part, count(*) AS n, count(*) FILTER (WHERE greatest(CASE WHEN k2.value IS NULL THEN 0 ELSE -1 END, d1.p + 3, CASE WHEN k3.value IS NULL THEN 1 ELSE -1 END, CASE WHEN k4.value IS NULL THEN 2 ELSE -1 END) < 0) AS decided, count(*) FILTER (WHERE greatest(CASE WHEN k2.value IS NULL THEN 0 ELSE -1 END, d1.p + 3, CASE WHEN k3.value IS NULL THEN 1 ELSE -1 END, CASE WHEN k4.value IS NULL THEN 2 ELSE -1 END) < 0) AS positive, 0 AS negative, 0 AS unlisted
FROM domain_person AS d1
  LEFT JOIN known_Smokes AS k2 ON (k2.atom = 0)
  LEFT JOIN known_Smokes AS k3 ON (k3.atom = 1)
  LEFT JOIN known_Smokes AS k4 ON (k4.atom = 2)
WHERE ((k2.value IS NULL) OR (k2.value = 0))
  AND ((k3.value IS NULL) OR (k3.value = 0))
  AND ((k4.value IS NULL) OR (k4.value = 0));

SELECT 0 AS part, count(*) AS n, count(*) FILTER (WHERE len(q.literals) = 0) AS decided, coalesce(sum(greatest(q.s * 1.0::DOUBLE, 0.0::DOUBLE)) FILTER (WHERE len(q.literals) = 0), 0.0::DOUBLE) AS positive, coalesce(sum(greatest(q.s * 1.0::DOUBLE, 0.0::DOUBLE)), 0.0::DOUBLE) AS all_positive, coalesce(sum(greatest(q.s * -1.0::DOUBLE, 0.0::DOUBLE)) FILTER (WHERE len(q.literals) = 0), 0.0::DOUBLE) AS negative, coalesce(sum(greatest(q.s * -1.0::DOUBLE, 0.0::DOUBLE)), 0.0::DOUBLE) AS all_negative, 0 AS unlisted
FROM (
    SELECT coalesce(list_sort(list_distinct(list(u.key) FILTER (WHERE u.key >= 0))), CAST(list_value() AS BIGINT[])) AS literals, any_value(u.s) AS s
    FROM (
        SELECT CAST(-1 AS BIGINT) AS key, CAST(1.0::DOUBLE AS DOUBLE) AS s
        UNION ALL
        SELECT CAST(CASE WHEN k2.value IS NULL THEN CAST(d1.p AS BIGINT) * 2 WHEN coalesce(k2.value, 0.0::DOUBLE) = 1 THEN -2 ELSE -1 END AS BIGINT) AS key, CAST(1.0::DOUBLE AS DOUBLE) AS s
        FROM domain_person AS d1
          LEFT JOIN known_Smokes AS k2 ON (k2.atom = d1.p)
      ) AS u
    HAVING (min(u.key) > -2)
  ) AS q;

SELECT atom FROM known_Smokes;

SELECT d1.p + 3 AS l0, 0 AS q
FROM domain_person AS d1
  ANTI JOIN facts_Friends AS x2 ON (x2.a0 = d1.a) AND (x2.a1 = 0)
  ANTI JOIN facts_Friends AS x3 ON (x3.a0 = d1.a) AND (x3.a1 = 1)
  ANTI JOIN facts_Friends AS x4 ON (x4.a0 = d1.a) AND (x4.a1 = 2);

SELECT q.literals AS literals, sum(q.s) AS s
FROM (
    SELECT coalesce(list_sort(list_distinct(list(u.key) FILTER (WHERE u.key >= 0))), CAST(list_value() AS BIGINT[])) AS literals, any_value(u.s) AS s
    FROM (
        SELECT CAST(-1 AS BIGINT) AS key, CAST(1.0::DOUBLE AS DOUBLE) AS s
        UNION ALL
        SELECT CAST(CASE WHEN k2.value IS NULL THEN CAST(d1.p AS BIGINT) * 2 WHEN coalesce(k2.value, 0.0::DOUBLE) = 1 THEN -2 ELSE -1 END AS BIGINT) AS key, CAST(1.0::DOUBLE AS DOUBLE) AS s
        FROM domain_person AS d1
          LEFT JOIN known_Smokes AS k2 ON (k2.atom = d1.p)
      ) AS u
    HAVING (min(u.key) > -2)
  ) AS q
GROUP BY q.literals, q.s < 0
ORDER BY literals, s;

SELECT r.l0 AS l0, r.l1 AS l1, CAST(count(*) AS DOUBLE) AS s
FROM (
    SELECT d1.p + 3 AS l0, CASE WHEN k4.value IS NULL THEN 2 ELSE -1 END AS l1
    FROM domain_person AS d1
      ANTI JOIN facts_Friends AS x2 ON (x2.a0 = d1.a) AND (x2.a1 = 0)
      ANTI JOIN facts_Friends AS x3 ON (x3.a0 = d1.a) AND (x3.a1 = 1)
      LEFT JOIN known_Smokes AS k4 ON (k4.atom = 2)
    WHERE ((k4.value IS NULL) OR (k4.value = 0))
  ) AS r
GROUP BY r.l0, r.l1
ORDER BY l0, l1;

SELECT r.l0 AS l0, r.l1 AS l1, CAST(count(*) AS DOUBLE) AS s
FROM (
    SELECT d1.p + 3 AS l0, CASE WHEN k4.value IS NULL THEN 1 ELSE -1 END AS l1
    FROM domain_person AS d1
      ANTI JOIN facts_Friends AS x2 ON (x2.a0 = d1.a) AND (x2.a1 = 0)
      ANTI JOIN facts_Friends AS x3 ON (x3.a0 = d1.a) AND (x3.a1 = 2)
      LEFT JOIN known_Smokes AS k4 ON (k4.atom = 1)
    WHERE ((k4.value IS NULL) OR (k4.value = 0))
  ) AS r
GROUP BY r.l0, r.l1
ORDER BY l0, l1;

SELECT r.l0 AS l0, least(r.l1, r.l2) AS l1, greatest(r.l1, r.l2) AS l2, CAST(count(*) AS DOUBLE) AS s
FROM (
    SELECT d1.p + 3 AS l0, CASE WHEN k3.value IS NULL THEN 1 ELSE -1 END AS l1, CASE WHEN k4.value IS NULL THEN 2 ELSE -1 END AS l2
    FROM domain_person AS d1
      ANTI JOIN facts_Friends AS x2 ON (x2.a0 = d1.a) AND (x2.a1 = 0)
      LEFT JOIN known_Smokes AS k3 ON (k3.atom = 1)
      LEFT JOIN known_Smokes AS k4 ON (k4.atom = 2)
    WHERE ((k3.value IS NULL) OR (k3.value = 0))
  AND ((k4.value IS NULL) OR (k4.value = 0))
  ) AS r
GROUP BY r.l0, least(r.l1, r.l2), greatest(r.l1, r.l2)
ORDER BY l0, l1, l2;

SELECT r.l0 AS l0, r.l1 AS l1, CAST(count(*) AS DOUBLE) AS s
FROM (
    SELECT CASE WHEN k4.value IS NULL THEN 0 ELSE -1 END AS l0, d1.p + 3 AS l1
    FROM domain_person AS d1
      ANTI JOIN facts_Friends AS x2 ON (x2.a0 = d1.a) AND (x2.a1 = 1)
      ANTI JOIN facts_Friends AS x3 ON (x3.a0 = d1.a) AND (x3.a1 = 2)
      LEFT JOIN known_Smokes AS k4 ON (k4.atom = 0)
    WHERE ((k4.value IS NULL) OR (k4.value = 0))
  ) AS r
GROUP BY r.l0, r.l1
ORDER BY l0, l1;

SELECT least(r.l0, r.l2) AS l0, r.l1 AS l1, greatest(r.l0, r.l2) AS l2, CAST(count(*) AS DOUBLE) AS s
FROM (
    SELECT CASE WHEN k3.value IS NULL THEN 0 ELSE -1 END AS l0, d1.p + 3 AS l1, CASE WHEN k4.value IS NULL THEN 2 ELSE -1 END AS l2
    FROM domain_person AS d1
      ANTI JOIN facts_Friends AS x2 ON (x2.a0 = d1.a) AND (x2.a1 = 1)
      LEFT JOIN known_Smokes AS k3 ON (k3.atom = 0)
      LEFT JOIN known_Smokes AS k4 ON (k4.atom = 2)
    WHERE ((k3.value IS NULL) OR (k3.value = 0))
  AND ((k4.value IS NULL) OR (k4.value = 0))
  ) AS r
GROUP BY least(r.l0, r.l2), r.l1, greatest(r.l0, r.l2)
ORDER BY l0, l1, l2;

SELECT least(r.l0, r.l2) AS l0, r.l1 AS l1, greatest(r.l0, r.l2) AS l2, CAST(count(*) AS DOUBLE) AS s
FROM (
    SELECT CASE WHEN k3.value IS NULL THEN 0 ELSE -1 END AS l0, d1.p + 3 AS l1, CASE WHEN k4.value IS NULL THEN 1 ELSE -1 END AS l2
    FROM domain_person AS d1
      ANTI JOIN facts_Friends AS x2 ON (x2.a0 = d1.a) AND (x2.a1 = 2)
      LEFT JOIN known_Smokes AS k3 ON (k3.atom = 0)
      LEFT JOIN known_Smokes AS k4 ON (k4.atom = 1)
    WHERE ((k3.value IS NULL) OR (k3.value = 0))
  AND ((k4.value IS NULL) OR (k4.value = 0))
  ) AS r
GROUP BY least(r.l0, r.l2), r.l1, greatest(r.l0, r.l2)
ORDER BY l0, l1, l2;

SELECT list_extract(list_sort(list_value(r.l0, r.l2, r.l3)), 1) AS l0, r.l1 AS l1, list_extract(list_sort(list_value(r.l0, r.l2, r.l3)), 2) AS l2, list_extract(list_sort(list_value(r.l0, r.l2, r.l3)), 3) AS l3, CAST(count(*) AS DOUBLE) AS s
FROM (
    SELECT CASE WHEN k2.value IS NULL THEN 0 ELSE -1 END AS l0, d1.p + 3 AS l1, CASE WHEN k3.value IS NULL THEN 1 ELSE -1 END AS l2, CASE WHEN k4.value IS NULL THEN 2 ELSE -1 END AS l3
    FROM domain_person AS d1
      LEFT JOIN known_Smokes AS k2 ON (k2.atom = 0)
      LEFT JOIN known_Smokes AS k3 ON (k3.atom = 1)
      LEFT JOIN known_Smokes AS k4 ON (k4.atom = 2)
    WHERE ((k2.value IS NULL) OR (k2.value = 0))
  AND ((k3.value IS NULL) OR (k3.value = 0))
  AND ((k4.value IS NULL) OR (k4.value = 0))
  ) AS r
GROUP BY list_extract(list_sort(list_value(r.l0, r.l2, r.l3)), 1), r.l1, list_extract(list_sort(list_value(r.l0, r.l2, r.l3)), 2), list_extract(list_sort(list_value(r.l0, r.l2, r.l3)), 3)
ORDER BY l0, l1, l2, l3;

SELECT world, constant FROM domain WHERE type = 'person' AND world IN (0) ORDER BY world, position;

SELECT count(*) FROM "c_person";
