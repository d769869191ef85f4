SELECT p.name, p.table_name, p.view_name, p.kind, p.value_last, p.closed, p.exactly_one, p.at_most_one,
       coalesce(list(a.type ORDER BY a.position) FILTER (a.type IS NOT NULL), []) AS types,
       coalesce(list(a.position ORDER BY a.position) FILTER (a.entity), []) AS entities
FROM predicate p LEFT JOIN predicate_argument a ON a.predicate = p.name
GROUP BY ALL
ORDER BY p.name
