"""Read yes and no."""

import re

from articulado.language.folding import without_accents
from services.case.data.placeholders import all_data_patterns, is_placeholder

_TRUE = frozenset(("true", "yes", "y", "1", "si", "s", "verdadero"))
_FALSE = frozenset(("false", "no", "n", "0", "falso", "none", "ninguno", "ninguna"))
_EXPLAINED = re.compile(r"(?P<word>\w+)(?:\s*[,;:.(–—-]\s*|\s+)(?P<rest>\S.*)", re.DOTALL)


def truth_of(value: str) -> bool | None:
    """Return the truth value that a text spells ("sí", "no", "true", …); ``None`` for any other text."""
    word = without_accents(value).casefold()
    return True if word in _TRUE else False if word in _FALSE else None


def read_truth(text: str) -> bool | None:
    """Return what a yes or no says, which an explanation may follow; ``None`` for any other text, and for both.

    What begins like one and says neither is any other text: "no idea", "no sé", "no doubt".

    >>> read_truth("Sí (embarazo)"), read_truth("no the form was never sent"), read_truth("yes and no")
    (True, False, None)
    """
    bare = text.strip(" .!\t\n")
    truth = truth_of(bare)
    explained = _EXPLAINED.fullmatch(bare)
    if truth is not None or explained is None or len(explained["word"]) == 1:
        return truth
    truth = truth_of(explained["word"])
    return None if truth is None or _is_undecided(bare, explained["rest"], truth) else truth


def _is_undecided(text: str, rest: str, truth: bool) -> bool:
    """Tell whether a text that begins with a yes or a no takes it back, or is a phrase of another meaning."""
    others = {truth_of(word) for word in re.findall(r"\w+", rest)[:1]}
    typed = " ".join(text.casefold().split())
    return (
        not others <= {None, truth}
        or is_placeholder(text)
        or any(data.undecided.fullmatch(typed) for data in all_data_patterns())
    )
