"""A database-backed workbench for statistical relational learning."""

__version__ = "0.1.0"
