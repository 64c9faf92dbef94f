"""What people write, as frozen values with a place in a file for every error. Knows nothing of running."""
