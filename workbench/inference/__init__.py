"""Engines that solve a ground network."""
