"""Tell the claims of an answer that its sources make unlikely."""

import re
from collections.abc import Sequence
from functools import cache

from language.current import say
from language.folding import fold
from services.verification.claims.contrasts import contrasts
from services.verification.claims.evidence import (
    DENIAL,
    DENIED,
    FIGURE,
    Evidence,
    EvidenceReader,
    candidates_of,
)
from services.verification.claims.model import ClaimModel, packaged_model
from services.verification.claims.passages import Passage, clause_around, passages_of, read_passage
from services.verification.claims.polarity import Opposed, clause_at, opposed
from services.verification.reading import ReadAnswer, Sentence
from services.verification.sources import Source
from state.verification import Check, Finding

_NO_CLAIM = re.compile(
    r"\?\s*$|^\W*#|:\s*$"
    r"|\b(?:consult[ae]|te recomiend\w+|recomendable|conviene|convendria|aconsej\w+|te sugier\w+"
    r"|abogad[oa]s? laboralista|no (?:dicen?|aclaran?|indican?|recogen?|consta|contienen?|precisan?|detallan?)"
    r"|las fuentes|los fragmentos|el contexto|en tu caso|en su caso concreto|por ejemplo)\b"
)
"""Folded sentences that claim nothing of the law: questions, headings, advice, what is not known, the user's case."""
_LIST = 3
"""Members of one contrast from which on a passage lists them."""
_MAX_WORDS = 40
"""Words of a source that a message quotes."""
_FEWEST = 4
"""Content words of a claim at least."""


def claim_findings(answer: ReadAnswer) -> list[Finding]:
    """Return the clauses that a source says of another case, of another subject, or the other way round.

    Of a sentence only the likeliest is told.
    """
    found = (_finding_in(sentence, answer) for sentence in answer.sentences)
    return [finding for finding in found if finding]


@cache
def _reader() -> EvidenceReader:
    model = packaged_model()
    return EvidenceReader(model.idf, model.rarest)


def _finding_in(sentence: Sentence, answer: ReadAnswer) -> Finding | None:
    claim = read_passage(sentence.text)
    if len(claim.content) < _FEWEST or _NO_CLAIM.search(fold(sentence.text)):
        return None
    sources = answer.of_sentence(sentence)
    if plain := opposed(sentence.text, sources):
        return _turned(plain, sentence)
    likeliest = _likeliest(claim, sources, answer, packaged_model())
    return _told(likeliest, claim, sentence, sources) if likeliest else None


def _turned(plain: Opposed, sentence: Sentence) -> Finding:
    """Return the finding of a claim whose source says it the other way round."""
    start, end = clause_at(sentence.text, plain.claim.start, plain.claim.end)
    label = plain.real.predicate.label[not plain.real.affirmed]
    return Finding(
        check=plain.claim.predicate.check,
        kind="polarity",
        severity="warning",
        where=sentence.text[start:end],
        start=sentence.start + start,
        end=sentence.start + end,
        message=say("claims.polarity", label=label, wording=_cut(plain.real.sentence)),
        mark=plain.source.mark,
        evidence=plain.real.sentence,
    )


def _cut(wording: str) -> str:
    words = wording.split()
    return " ".join(words) if len(words) <= _MAX_WORDS else f"{' '.join(words[:_MAX_WORDS])} […]"


def _likeliest(claim: Passage, sources: Sequence[Source], answer: ReadAnswer, model: ClaimModel) -> Evidence | None:
    """Return the term that is likeliest at fault, if it is likely enough."""
    passages = [passage for source in sources for passage in passages_of(source.text)]
    heading = read_passage(" ".join(source.besides for source in sources))
    asked = read_passage(answer.question)
    read = (_reader().read(claim, candidate, passages, heading, asked) for candidate in candidates_of(claim, passages))
    evidence = [each for each in read if each and _may_tell(each, answer.sources)]
    if not evidence:
        return None
    odds = model.log_odds([each.features for each in evidence])
    best = int(odds.argmax())
    return evidence[best] if odds[best] > model.limit else None


def _may_tell(evidence: Evidence, sources: Sequence[Source]) -> bool:
    """Tell whether the words around a term can show it at fault.

    Of three terms that one passage lists side by side they do not show which is meant; and a figure that stands in no
    source at all is not one of another case.
    """
    candidate, same, other = evidence.candidate, evidence.same, evidence.other
    if same and candidate.contrast >= 0 and same.passage is other.passage:
        listed = {term.member for term in other.passage.terms if term.contrast == candidate.contrast}
        return len(listed) < _LIST
    if same or candidate.contrast != FIGURE:
        return True
    figure = candidate.member, candidate.anchor
    passages = (passage for source in sources for passage in passages_of(source.text))
    return any((passage.stems[n], unit) == figure for passage in passages for n, unit in passage.figures)


def _told(evidence: Evidence, claim: Passage, sentence: Sentence, sources: Sequence[Source]) -> Finding:
    candidate = evidence.candidate
    start, end = clause_around(claim, candidate.first, candidate.last)
    wording = evidence.other.passage.text
    source = next((s for s in sources if evidence.other.passage in passages_of(s.text)), sources[0])
    check, kind, message = _words(evidence, claim)
    return Finding(
        check=check,
        kind=kind,
        severity="warning",
        where=sentence.text[start:end],
        start=sentence.start + start,
        end=sentence.start + end,
        message=message,
        mark=source.mark,
        evidence=wording,
    )


def _words(evidence: Evidence, claim: Passage) -> tuple[Check, str, str]:
    """Return the check, the kind and the message of a term at fault."""
    candidate, other = evidence.candidate, evidence.other
    said = _as_written(claim, candidate.first, candidate.last)
    there = _as_written(other.passage, other.first, other.last)
    if candidate.contrast == DENIAL:
        message = say("claims.denied", word=there) if other.member == DENIED else say("claims.affirmed", word=there)
        return "negation", "denied", message
    if candidate.contrast == FIGURE:
        return "condition", "figure", say("claims.figure", said=said, there=there)
    contrast = contrasts()[candidate.contrast]
    label, other_label = contrast.members[int(candidate.member)].label, contrast.members[int(other.member)].label
    return contrast.check, contrast.name, say("claims.term", said=label, there=other_label)


def _as_written(passage: Passage, first: int, last: int) -> str:
    return passage.text[passage.spans[first][0] : passage.spans[last - 1][1]]
