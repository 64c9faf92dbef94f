"""The words of the domain as frozen values; no I/O, nothing above it is known here."""
