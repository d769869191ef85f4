"""Metrics, folds, significance, reports."""
