"""Data sets through the real pipeline and store, in scratch spaces."""
