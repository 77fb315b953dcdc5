"""Whether an answer contains the facts that a gold set asks for, however they are spelt."""

import re
from collections.abc import Sequence

from language.folding import fold
from language.numerals import read_number

_PERCENT = re.compile(r"\s*por\s+(?:cien(?:to)?|100)\b")
_TOKEN = re.compile(r"\w+(?:[.,]\w+)*|[%€]")


def missing_facts(facts: Sequence[str], answer: str) -> tuple[str, ...]:
    """Return the facts whose words do not follow one another in the answer.

    Case, accents, white space and punctuation do not matter, and neither does whether a number is in words or digits.
    """
    said = _plain(answer)
    return tuple(fact for fact in facts if _plain(fact) not in said)


def _plain(text: str) -> str:
    """Return the words between blanks: "Treinta y tres días" is " 33 dias "."""
    folded = fold(text)
    written, position = [], 0
    while read := read_number(folded, position):
        start, end, value = read
        percent = _PERCENT.match(folded, end)
        written += [folded[position:start], f"{value.normalize():f}", " % " if percent else ""]
        position = percent.end() if percent else end
    return f" {' '.join(_TOKEN.findall(''.join([*written, folded[position:]])))} "
