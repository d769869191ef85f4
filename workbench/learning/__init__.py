"""Learners that fit weights to ground networks with truth."""
