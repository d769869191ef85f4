-- Lines of Alchemy's form taken apart: number, predicate, arguments, value, a function's result, whether it is a fact.
INSERT INTO staged_lines
WITH lines AS MATERIALIZED (
    SELECT row_number() OVER () + $offset AS line, text
    FROM (SELECT unnest(string_split($text, chr(10))) AS text)
),
flagged AS MATERIALIZED (
    SELECT line, text, regexp_full_match(text, $plain) AS plain FROM lines
),
grouped AS (
    SELECT line, regexp_extract(text, $fact, ['sign', 'number', 'name', 'arguments', 'result', 'after']) AS m
    FROM (
        -- `Ann = MotherOf(Bob)` is `MotherOf(Bob) = Ann`.
        SELECT line, regexp_replace(rtrim(text, chr(13)), $value_first, '\2 = \1 \3') AS text
        FROM flagged WHERE NOT plain
    )
    WHERE NOT regexp_full_match(text, $blank)
)
SELECT line, ltrim(split_part(text, '(', 1), '!?'),
    string_split(replace(substr(text, strpos(text, '(') + 1, length(text) - strpos(text, '(') - 1), ', ', ','), ','),
    CASE text[1] WHEN '!' THEN 0 WHEN '?' THEN NULL ELSE 1 END, NULL, true
FROM flagged WHERE plain
UNION ALL
SELECT line, m.name,
    CASE WHEN m.arguments = '' THEN []
         ELSE list_transform(
             regexp_extract_all(m.arguments, $argument),
             lambda a: CASE WHEN a[1] = '"' THEN regexp_replace(a[2:-2], '\\(.)', '\1', 'g') ELSE a END) END,
    CASE WHEN m.number <> '' THEN try_cast(m.number AS DOUBLE)
         WHEN m.after <> '' THEN try_cast(m.after AS DOUBLE)
         WHEN m.sign = '!' THEN 0
         WHEN m.sign = '?' THEN NULL
         ELSE 1 END,
    CASE WHEN m.result = '' THEN NULL
         WHEN m.result[1] = '"' THEN regexp_replace(m.result[2:-2], '\\(.)', '\1', 'g')
         ELSE m.result END,
    m.name <> ''
FROM grouped
