"""From tables to a scored, explained program, as runs of a workspace."""
