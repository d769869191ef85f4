CREATE TABLE ballots AS
SELECT playerID, make_date(min(yearID) FILTER (ballots IS NOT NULL)::INT, 1, 1) AS asked,
    bool_or(inducted = 'Y') AS inducted
FROM read_csv($file) WHERE category = 'Player' GROUP BY playerID
HAVING count(ballots) > 0 ORDER BY playerID
