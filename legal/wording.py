"""The identity of a wording: its words, whichever source they come from."""

import re
from hashlib import blake2b

from language.folding import fold

_WORD = re.compile(r"\w+")


def wording_hash(text: str) -> str:
    """Return 16 hexadecimal digits that change when a word of a provision's text does.

    Case, accents, punctuation and layout do not count: the same wording has the same hash in every source.
    """
    return blake2b(" ".join(_WORD.findall(fold(text))).encode(), digest_size=8).hexdigest()
