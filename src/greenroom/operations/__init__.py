"""One function for each thing a person can ask for; the only door of the faces."""
