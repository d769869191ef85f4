-- Tab-separated lines taken apart: number and cells, blank lines and the tabs at a line's end left out.
INSERT INTO staged_lines
SELECT line, list_transform(string_split(text, chr(9)), lambda cell: trim(cell))
FROM (
    SELECT row_number() OVER () + $offset AS line, rtrim(text, chr(13) || chr(9)) AS text
    FROM (SELECT unnest(string_split($text, chr(10))) AS text)
)
WHERE trim(text, ' ' || chr(9)) <> ''
