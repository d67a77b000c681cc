"""Measurements of the product by itself, each in a space or database of its own."""
