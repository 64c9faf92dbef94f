"""Whoever is under test: one session protocol, and the hosted pipeline behind it."""
