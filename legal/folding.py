"""Fold text for comparison without moving a single character."""

_FROM = "áàäâéèëêíìïîóòöôúùüûñçº°ª\u00a0\u202f\u2009\t\n\r’‘“”–—"
_TO = "aaaaeeeeiiiioooouuuuncººª      ''\"\"--"
_TABLE = str.maketrans(_FROM, _TO)


def fold(text: str) -> str:
    """Return the text in lower case, without accents, every kind of blank a space; of the same length.

    Offsets found in the folded text are valid in the original.
    """
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(low if len(low := character.lower()) == 1 else character for character in text)
    return lower.translate(_TABLE)
