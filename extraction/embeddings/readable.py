"""What any embedder can read of a text."""


def readable(text: str, *, longest: int) -> str:
    """Give the beginning of a text without what breaks an embedder.

    C text ends at NUL, and UTF-8 has no lone surrogates. **Units**: ``longest`` characters.
    """
    cut = text[:longest].replace("\x00", " ")
    return cut.encode("utf-8", errors="replace").decode("utf-8")
