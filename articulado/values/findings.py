"""Values of the verification of an answer; ``start`` and ``end`` are positions in its text."""

from typing import Literal

from typing_extensions import TypedDict

Check = Literal["citation", "quotation", "figure", "mark", "claim", "gap"]
"""Checked element: ``mark`` is a marker, ``claim`` a sentence (by a model), ``gap`` an unreadable part of a source."""

Severity = Literal["error", "warning"]
"""``error``: certain from the texts alone. ``warning``: uncertain day, judgement of a model, or unreadable source."""

NamedStatus = Literal["verified", "in_index_not_in_context", "unknown", "repealed"]


class NamedVerdict(TypedDict):
    """Provision named in ``answer[start:end]`` with its status; ``mark``: marker of its fragment; ``reason``: code of
    the fault.
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


class Finding(TypedDict):
    """Statement of an answer that its sources do not support.

    ``where``: exact text ``answer[start:end]``. ``kind``: code within the check (``unknown_provision``, ``altered`` …);
    ``message``: for people. ``mark``: marker ("C2") of the compared fragment and ``evidence``: its nearest wording;
    both may be empty.
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
    """Provision referred to by a cited fragment; ``consulted``: the model read it too."""

    mark: str
    law_id: str
    law: str
    provision_key: str
    provision: str
    consulted: bool


class LawFreshness(TypedDict):
    """Days of a cited law, ISO 8601 or ``None``: last amendment (published or in force), and publication."""

    law_id: str
    law: str
    last_change: str | None
    published: str | None


class Freshness(TypedDict):
    """Age of an answer's sources: day of the index, cited laws, and notes on amended provisions with their marks."""

    index_day: str | None
    laws: list[LawFreshness]
    notes: list[str]


class NearestProvision(TypedDict):
    """Provision that was found but did not answer; ``relevance`` in [0, 1]."""

    law: str
    provision: str
    title: str
    url: str
    relevance: float


class Certificate(TypedDict):
    """Evidence for an abstention: searches, collections, nearest provisions, and missing words.

    ``relevance``: probability in [0, 1] that the candidates answer, ``None`` without candidates. ``missing``: words of
    the question that no best candidate has.
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
