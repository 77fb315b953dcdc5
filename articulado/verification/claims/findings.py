"""Findings on the claims of an answer that its sources contradict.

``claim_findings`` combines the checks of polarity, denials, generalisations and figure cases. It reports
the plainest contradiction of each sentence. Questions, headings, advice and statements about the user's
case are skipped.
"""

import re
from collections.abc import Iterator

from articulado.language.folding import fold
from articulado.language.quantities import quantities
from articulado.language.translation import translate
from articulado.values.findings import Check, Finding
from articulado.verification.claims.denials import contradicted, generalised
from articulado.verification.claims.figure_cases import OtherCase, of_another_case, words_of
from articulado.verification.claims.polarity import clause_at, opposed
from articulado.verification.figures import figures_of_law, is_same
from articulado.verification.reading import ReadAnswer, Sentence
from articulado.verification.sources import Source

_NO_CLAIM = re.compile(
    r"\?\s*$|^\W*#|:\s*$"
    r"|\b(?:consult[ae]|te recomiend\w+|recomendable|conviene|convendria|aconsej\w+|te sugier\w+"
    r"|abogad[oa]s? laboralista|no (?:dicen?|aclaran?|indican?|recogen?|consta|contienen?|precisan?|detallan?)"
    r"|las fuentes|los fragmentos|el contexto|en tu caso|en su caso concreto|por ejemplo)\b"
)
"""Folded sentences that claim nothing of the law: questions, headings, advice, what is not known, the user's case."""
_MAX_WORDS = 40
"""Words of a source that a message quotes."""
_FEWEST = 4
"""Content words of a claim at least."""


def claim_findings(answer: ReadAnswer) -> list[Finding]:
    """Return the clauses that a source says the other way round, and the figures that it gives for another case."""
    return list(_findings(answer))


def _findings(answer: ReadAnswer) -> Iterator[Finding]:
    own = quantities(answer.question)
    for sentence in answer.sentences:
        if len(words_of(sentence.text)) >= _FEWEST and not _NO_CLAIM.search(fold(sentence.text)):
            yield from _of_sentence(answer, sentence)
        figures = [f for f in figures_of_law(answer, sentence) if not any(is_same(f, known) for known in own)]
        if other := of_another_case(answer, sentence, figures):
            yield _of_other_case(other, sentence)


def _of_sentence(answer: ReadAnswer, sentence: Sentence) -> Iterator[Finding]:
    """Yield what is plainest of what a sentence says otherwise than its sources."""
    text, sources = sentence.text, answer.of_sentence(sentence)
    if plain := opposed(text, sources):
        label = plain.real.predicate.label[not plain.real.affirmed]
        message = translate("claims.polarity", label=label, wording=_cut(plain.real.sentence))
        clause = clause_at(text, plain.claim.start, plain.claim.end)
        yield _told(
            sentence, plain.claim.predicate.check, "polarity", clause, message, plain.source, plain.real.sentence
        )
    elif word := contradicted(text, sources):
        written = word.real.sentence[word.real.start : word.real.end]
        table = "claims.denied" if word.real.is_denied else "claims.affirmed"
        message = translate(table, word=written, wording=_cut(word.real.sentence))
        clause = clause_at(text, word.claim.start, word.claim.end)
        yield _told(sentence, "negation", "denial", clause, message, word.source, word.real.sentence)
    elif general := generalised(text, sources):
        message = translate("claims.generalised", wording=_cut(general.wording))
        clause = general.start, general.end
        yield _told(sentence, "condition", "generalised", clause, message, general.source, general.wording)


def _of_other_case(other: OtherCase, sentence: Sentence) -> Finding:
    """Return the finding of a figure that the source gives for another case."""
    start, end = other.figure.start, max(other.figure.end, other.figure.per_end)
    there, wording = other.right.written, other.right.sentence
    message = translate("claims.figure", said=sentence.text[start:end], there=there, wording=_cut(wording))
    return _told(sentence, "condition", "figure", (start, end), message, other.source, wording)


def _told(
    sentence: Sentence, check: Check, kind: str, clause: tuple[int, int], message: str, source: Source, wording: str
) -> Finding:
    start, end = clause
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


def _cut(wording: str) -> str:
    words = wording.split()
    return " ".join(words) if len(words) <= _MAX_WORDS else f"{' '.join(words[:_MAX_WORDS])} […]"
