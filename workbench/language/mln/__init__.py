"""Markov logic in Alchemy's syntax: text to program."""
