"""Documents of PSL: their data, options and evaluations."""
