"""Doors for other programs: an assistants' toolbox (MCP) and a server, over one workspace."""
