"""Help for the people who write tests: lint."""
