"""Whoever is under test: one session protocol, the hosted pipeline, and later every foreign kind."""
