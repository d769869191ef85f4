"""Probabilistic soft logic: text and documents to program."""
