"""The HTTP face: each route reads a request, calls one operation, and writes what came of it."""
