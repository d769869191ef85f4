-- Format 4: arguments may be values; those of an older workspace are constants, whatever their type is called.
ALTER TABLE predicate_argument ADD COLUMN entity BOOLEAN;
UPDATE predicate_argument a SET entity = NOT EXISTS (
    FROM predicate p WHERE p.name = a.predicate AND p.value_last AND a.position = p.arity - 1
);
UPDATE workspace_format SET version = 4
