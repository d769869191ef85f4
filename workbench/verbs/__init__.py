"""What the workspace can do, one verb a file; `workbench.workspace` is the door to them."""
