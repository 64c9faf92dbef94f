"""The deciders of each check, one subject a file, and the registry that finds them."""
