"""A law as every source delivers it, and its provisions in the order of the text."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from state.chunks import Status

LawStatus = Literal["in_force", "repealed", "expired"]


@dataclass(frozen=True)
class Provision:
    """An article, a disposition or an annex.

    ``key`` is unique in its law (``legal.labels``; a later provision of the same label has ``~2``, one of the decree
    that approves the law ``~decreto``), but for the successive wordings of one provision, which share it and differ in
    ``valid_from``. ``paragraphs`` is its text without amendment notes; a table is one paragraph with a row a line.
    ``notes`` are the source's notes, last amendment first. Validity is ISO 8601: from the first day in force to the
    first day on which it is not; ``None`` is that of the law. ``url`` is empty where it follows from law and label.
    """

    label: str
    key: str
    title: str
    breadcrumb: str
    paragraphs: tuple[str, ...]
    notes: tuple[str, ...] = ()
    status: Status = "vigente"
    status_note: str = ""
    valid_from: str | None = None
    valid_to: str | None = None
    url: str = ""

    @property
    def text(self) -> str:
        """Return the paragraphs with a blank line between them."""
        return "\n\n".join(self.paragraphs)


@dataclass(frozen=True)
class Law:
    """A whole law. Dates are ISO 8601; ``valid_to`` is the first day on which it is no longer in force.

    ``rank`` is the kind of norm ("real_decreto", see ``legal.ranks``). ``territory`` is the autonomous community whose
    law it is (``legal.territory``), ``None`` for the whole state.
    """

    id: str
    title: str
    rank: str
    published: str
    status: LawStatus
    valid_to: str | None
    status_note: str
    provisions: tuple[Provision, ...]
    territory: str | None = None
    collection: str = "normativa"


def keep_apart(provisions: Iterable[Provision]) -> list[Provision]:
    """Make the keys unique; a look-up by plain key finds the approved text before the decree that approves it.

    The approving decree is what stands before the first article after an "Artículo único". An annex before an
    article is only the frame of the approved text, and is left out.
    """
    provisions = list(provisions)
    last = max((index for index, provision in enumerate(provisions) if provision.key.startswith("art:")), default=0)
    provisions = [one for index, one in enumerate(provisions) if index > last or not one.key.startswith("anexo:")]
    approving = _approving(provisions)
    own = {provision.key for provision in provisions[approving:]}
    seen: Counter[str] = Counter()
    apart = []
    for index, provision in enumerate(provisions):
        key = provision.key
        if index < approving and key in own:
            key += "~decreto"
        seen[key] += 1
        apart.append(replace(provision, key=key if seen[key] == 1 else f"{key}~{seen[key]}"))
    return apart


def _approving(provisions: list[Provision]) -> int:
    """Return how many of the first provisions are the approving decree's own."""
    articles = [index for index, provision in enumerate(provisions) if provision.key.startswith("art:")]
    if len(articles) > 1 and provisions[articles[0]].key == "art:unico":
        return articles[1]
    return 0
