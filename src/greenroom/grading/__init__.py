"""Checks and judge: what was said and done, to one verdict. Knows no store, no agent and no turn record."""
