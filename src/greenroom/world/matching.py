"""The one matcher language: plain values equal, a mapping of matcher words matches (features.md H7).

Decides, from one written matcher and one JSON value, whether they fit; and says why not.
"""
