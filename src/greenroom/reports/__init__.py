"""Outcomes to text; pure, no I/O."""
