"""Greenroom: a test bench for customer-facing agents.

Importing this package loads nothing else, so that `greenroom --help` stays instant.
"""

__version__ = "0.1.0"
__all__ = ["__version__"]
