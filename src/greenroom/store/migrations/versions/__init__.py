"""One file a revision. Written by hand, never changed once released."""
