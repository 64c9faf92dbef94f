"""The run: the plain function of one case, and what wraps it."""
