CREATE TABLE ballots AS
SELECT playerID, min(yearID) FILTER (ballots IS NOT NULL)::INT AS first_ballot,
    make_date(first_ballot, 1, 1) AS asked, bool_or(inducted = 'Y') AS inducted
FROM read_csv($file) WHERE category = 'Player' GROUP BY playerID
HAVING count(ballots) > 0 ORDER BY playerID
