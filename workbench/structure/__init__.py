"""Learning the rules."""
