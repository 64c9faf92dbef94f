"""The way of the schema from one revision to the next; packaged, and walked without any file outside the package."""
