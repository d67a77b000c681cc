"""Charts drawn on the server: classes and attributes only, never a style."""
