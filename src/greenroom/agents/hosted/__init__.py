"""The hosted agent: compose, route, offer, model, render, record."""
