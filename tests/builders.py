"""Small makers of agents, cases and results: valid defaults, so that a test writes only what it is about."""
