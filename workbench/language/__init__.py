"""Text to program: Markov logic and probabilistic soft logic, parsed, checked, put in clausal form, printed."""
