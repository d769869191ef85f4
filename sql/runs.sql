SELECT id, parent, kind, name, note, created, seconds, status, engine, seed, program_text, program_hash, data_hash,
    parameters, versions
FROM run
ORDER BY id DESC
