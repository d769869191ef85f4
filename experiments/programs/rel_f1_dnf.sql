CREATE TABLE {target} AS
SELECT c.t AS date, driverId, max((statusId <> 1)::INT) AS {column}, any_value(part) AS part
FROM ({cuts}) c
JOIN moments m ON m.t > c.t
    AND m.t <= c.t + to_days({days})
JOIN results USING (raceId)
GROUP BY c.t, driverId
