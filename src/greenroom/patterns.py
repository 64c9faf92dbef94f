"""JavaScript regular expressions with a time bound; refusals say what to write instead (features.md C12)."""
