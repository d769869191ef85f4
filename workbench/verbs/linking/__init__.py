"""Which records are of the same thing: from files, from rules, and for new records."""
