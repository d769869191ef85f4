"""Files of systems for inductive logic programming: modes, background, examples."""
