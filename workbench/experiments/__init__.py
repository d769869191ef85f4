"""The papers' tables, reproduced."""
