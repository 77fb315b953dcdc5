"""Values of the verification of an answer: findings, provisions, freshness, abstention certificate.

Every user interface shows them and every dossier stores them. Offsets ``start`` and ``end`` are positions
in the text of the answer.
"""

from typing import Literal

from typing_extensions import TypedDict

Check = Literal["citation", "quotation", "figure", "mark", "claim", "gap"]
"""The checked element: a named provision, words in quotation marks, a quantity, a marker; a sentence, by a model; a
part of a cited source that could not be read.
"""

Severity = Literal["error", "warning"]
"""An ``error`` is certain by the texts alone. A ``warning`` is not: in briefs the index may not say for certain which
wording was in force on their day, ``claim`` is the judgement of a model, and of a ``gap`` nobody knows what it says.
"""

NamedStatus = Literal["verified", "in_index_not_in_context", "unknown", "repealed"]
"""What is known of a provision that an answer names."""


class NamedVerdict(TypedDict):
    """A provision that an answer names in ``answer[start:end]``, and what is known of it.

    ``mark`` is the marker of the fragment that it is, if any;
    ``reason`` is the code of what is wrong with it, if anything.
    """

    where: str
    start: int
    end: int
    law_id: str
    law: str
    provision_key: str
    provision: str
    status: NamedStatus
    mark: str
    reason: str


CheckedPart = Literal["citations", "quotations", "figures"]
"""A part of an answer that is compared with its sources."""


class Finding(TypedDict):
    """Something in an answer that its sources do not bear out.

    ``where`` is the text at fault, exactly as the answer has it in ``answer[start:end]``. ``kind`` is its code within
    the check (``unknown_provision``, ``altered`` …); ``message`` says it to people. ``mark`` is the marker ("C2") of
    the fragment that it was compared with and ``evidence`` the nearest real wording there; both may be empty.
    """

    check: Check
    kind: str
    severity: Severity
    where: str
    start: int
    end: int
    message: str
    mark: str
    evidence: str


class Remission(TypedDict):
    """A provision that the text of a cited fragment refers to; ``consulted``: the model read it, too."""

    mark: str
    law_id: str
    law: str
    provision_key: str
    provision: str
    consulted: bool


class LawFreshness(TypedDict):
    """Days of a law that an answer cites, ISO 8601; ``None`` if its source does not tell.

    ``last_change`` is the day on which its last amendment was published or came into force, ``published`` that of the
    law itself.
    """

    law_id: str
    law: str
    last_change: str | None
    published: str | None


class Freshness(TypedDict):
    """How recent an answer is: the day of the index (ISO 8601, ``None`` without one), and the laws that are cited.

    ``notes`` are those on amended or partly repealed provisions that are cited, with their marks.
    """

    index_day: str | None
    laws: list[LawFreshness]
    notes: list[str]


class NearestProvision(TypedDict):
    """A provision that was found and did not answer; ``relevance`` in [0, 1] is the score that it was ordered by."""

    law: str
    provision: str
    title: str
    url: str
    relevance: float


class Certificate(TypedDict):
    """What an abstention rests on: what was searched and where, what came nearest, and what was missing.

    ``relevance`` is the probability in [0, 1] that the candidates answer, ``None`` where there was nothing to judge.
    ``missing`` are words of the question that none of the best candidates has.
    """

    searches: list[str]
    collections: list[str]
    store: str
    as_of: str | None
    territory: str | None
    candidates: int
    relevance: float | None
    best: list[NearestProvision]
    missing: list[str]
