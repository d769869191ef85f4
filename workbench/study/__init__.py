"""From tables to weighted rules: candidates' columns, folds,
the program they become, the report.
"""
