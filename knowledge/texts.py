"""Text that a column can hold: no NUL, no half of a surrogate pair, not too long."""

from knowledge.errors import InvalidInput


def check_text(value: str, *, field: str, most: int | None = None) -> str:
    """Return the text, refusing what the store cannot keep letter by letter.

    **Units**: ``most`` is in code points. **Raises**: InvalidInput.
    """
    if "\x00" in value:
        raise InvalidInput(f"{field} holds a NUL character, which text cannot.", field=field)
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"{field} holds half of a surrogate pair, which is no character.", field=field
        ) from error
    if most is not None and len(value) > most:
        raise InvalidInput(f"{field} is longer than {most:,} characters.", field=field)
    return value


def keepable(text: str) -> str:
    """Return a machine's words with what no text can hold replaced.

    For errors and narratives, which are kept to be read and never compared.
    """
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()


def shorten(value: str, *, field: str, most: int) -> str:
    """Return the text cut to length: for names shown and never compared.

    **Raises**: InvalidInput for what no text can hold.
    """
    return check_text(value, field=field)[:most]
