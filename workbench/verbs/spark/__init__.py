"""Inference past one machine: ground rows as records, components solved by executors."""
