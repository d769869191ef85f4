"""New facts without starting again: rows put in place, components solved again."""
