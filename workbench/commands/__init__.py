"""The command line's commands, one family a file; `workbench.cli` puts them together."""
