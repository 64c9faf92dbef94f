"""Reads for real, captures what would leave, under the same file names as `live`."""
