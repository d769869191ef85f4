-- A new run; its id is one more than the largest.
INSERT INTO run
SELECT coalesce(max(id), 0) + 1, $parent::INTEGER, $kind, $name::VARCHAR, NULL, $created::TIMESTAMP, $seconds::DOUBLE, $status,
    $engine::VARCHAR, $seed::BIGINT, $program_text, $program_hash, $data_hash::VARCHAR, $parameters, $versions
FROM run
RETURNING id
