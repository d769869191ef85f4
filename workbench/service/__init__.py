"""Doors for other programs: an assistants' toolbox (Model Context Protocol) and a server,
over one workspace.
"""
