"""Whoever speaks to the agent: the next event, or why it stops."""
