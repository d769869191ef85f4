"""The ground rules behind an atom, in words, and what would be if a fact were another."""
