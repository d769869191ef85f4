CREATE TABLE {target} AS
SELECT c.t AS date, driverId, (min(position) <= 3)::INT AS {column}, any_value(part) AS part
FROM ({cuts}) c
JOIN moments m ON m.t - to_days(1) > c.t
    AND m.t - to_days(1) <= c.t + to_days({days})
JOIN qualifying USING (raceId)
GROUP BY c.t, driverId
