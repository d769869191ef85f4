"""Rules to SQL to sparse arrays."""
