-- An atom recorded once for each world that has its constants: the n-th record is of the n-th of these worlds.
INSERT INTO run_prediction
WITH
    alone AS (
        SELECT run, fold, any_value(world) AS world FROM allowed GROUP BY run, fold HAVING count(*) = 1
    ),
    numbered AS (
        SELECT
            place,
            row_number() OVER (PARTITION BY run, fold, predicate, arguments ORDER BY place) AS nth,
            count(*) OVER (PARTITION BY run, fold, predicate, arguments) AS records
        FROM keyed
    ),
    worlds AS (
        SELECT
            place,
            world,
            row_number() OVER (PARTITION BY place ORDER BY world) AS nth,
            count(*) OVER (PARTITION BY place) AS worlds
        FROM candidate
    ),
    paired AS (
        SELECT n.place, w.world FROM numbered n JOIN worlds w ON w.place = n.place AND w.nth = n.nth
        WHERE n.records = w.worlds
    )
SELECT t.run, t.fold, coalesce(o.world, p.world), t.predicate, k.arguments, t.value, t.truth
FROM text_prediction t
JOIN keyed k ON k.place = t.rowid
LEFT JOIN alone o ON o.run = t.run AND o.fold IS NOT DISTINCT FROM t.fold
LEFT JOIN paired p ON p.place = t.rowid
ORDER BY t.rowid
