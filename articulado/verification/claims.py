"""Claims of an answer with the sentences of their sources, and the verdicts of a chat model on them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from pydantic import BaseModel, Field

from articulado.language.languages import Language
from articulado.language.sentences import sentence_spans
from articulado.prompting.citation_markers import keep_markers
from articulado.prompting.fragments import neutralise
from articulado.values.answers import TurnQuestion
from articulado.values.findings import Finding
from articulado.verification.reading import ReadAnswer, Sentence
from articulado.verification.sources import Source, make_finding

PROMPT = "check_claims"
MAX_CLAIMS = 40
LEAST_WORDS = 3
BASE_TOKENS, CLAIM_TOKENS = 300, 150

Judgement = Literal["supported", "contradicted", "not_in_source"]


class ClaimVerdict(BaseModel):
    """The verdict on a numbered claim, with the literal words of the source that it rests on."""

    claim: int
    evidence: str
    verdict: Judgement


class ClaimVerdicts(BaseModel):
    """The reply of the checker: one verdict for each claim."""

    verdicts: list[ClaimVerdict] = Field(default_factory=list)


class SourceText:
    """A source as heading and sentences: first those of its text (``own``), then those of its summary and notes."""

    def __init__(self, source: Source) -> None:
        self.source = source
        heading, _, besides = source.besides.partition("\n")
        self.heading = heading or f"{source.law_name}. {source.provision}"
        self.own = list(_sentences(source.text))
        self.sentences = [*self.own, *_sentences(besides)]

    @cached_property
    def shown(self) -> list[str]:
        """The sentences as shown to the model: one line each, without text that imitates the prompt."""
        return [_one_line(sentence) for sentence in self.sentences]

    def sentence_with(self, evidence: str) -> str | None:
        """Return the sentences, joined, that contain some words; white space and case are ignored."""
        wanted = _normalised(evidence).strip("«»“”\"'")
        if len(wanted.split()) < LEAST_WORDS:
            return None
        parts = [_normalised(sentence) for sentence in self.shown]
        start = " ".join(parts).find(wanted)
        if start < 0:
            return None
        end, begin, inside = start + len(wanted), 0, []
        for sentence, part in zip(self.sentences, parts, strict=True):
            if begin < end and start < begin + len(part):
                inside.append(sentence)
            begin += len(part) + 1
        return " ".join(inside)


@dataclass(frozen=True)
class Claim:
    """A sentence of an answer with its sources; ``number`` counts from 1."""

    number: int
    sentence: Sentence
    sources: tuple[SourceText, ...]

    @property
    def shown(self) -> str:
        return _one_line(keep_markers(self.sentence.text, ())[0])

    def source_of(self, evidence: str) -> tuple[str, str] | None:
        """Return the marker of the first source that contains some words, and their sentence."""
        for source in self.sources:
            if (sentence := source.sentence_with(evidence)) is not None:
                return source.source.mark, sentence
        return None

    def nearest(self, language: Language) -> tuple[str, str]:
        """Return marker and sentence most similar to the claim (Dice's coefficient of stems); empty without overlap."""
        stems = set(language.stems(self.shown))
        best, nearest = 0.0, (self.sources[0].source.mark, "")
        for source in self.sources:
            for sentence in source.own or source.sentences:
                own = set(language.stems(sentence))
                score = 2 * len(stems & own) / max(len(stems) + len(own), 1)
                if score > best:
                    best, nearest = score, (source.source.mark, sentence)
        return nearest


def claims_of(answer: ReadAnswer) -> list[Claim]:
    """Return at most ``MAX_CLAIMS`` sentences of an answer that have a source, their own or their paragraph's."""
    of_paragraph: dict[int, dict[int, None]] = {}
    for sentence in answer.sentences:
        of_paragraph.setdefault(sentence.paragraph, {}).update(dict.fromkeys(sentence.rests_on))
    texts: dict[int, SourceText] = {}
    claims: list[Claim] = []
    for sentence in answer.sentences:
        numbers = sentence.rests_on or tuple(of_paragraph[sentence.paragraph])
        if not numbers or not _claims_something(sentence):
            continue
        for number in numbers:
            texts.setdefault(number, SourceText(answer.source(number)))
        claims.append(Claim(len(claims) + 1, sentence, tuple(texts[number] for number in numbers)))
    return claims[:MAX_CLAIMS]


def message(question: TurnQuestion, claims: Sequence[Claim], language: Language) -> str:
    """Return the user message: question, numbered sentences of each source, and numbered claims."""
    sources = {text.source.number: text for claim in claims for text in claim.sources}
    blocks = []
    for number, text in sorted(sources.items()):
        lines = [f"C{number}.{line} {sentence}" for line, sentence in enumerate(text.shown, start=1)]
        blocks.append("\n".join([f"C{number} = {_one_line(text.heading)}", *lines]))
    asked = [
        f"{claim.number} ({', '.join(text.source.mark for text in claim.sources)}): {claim.shown}" for claim in claims
    ]
    parts = (
        ("prompt_question", _one_line(question["text"])),
        ("prompt_subject", _one_line(question["subject"])),
        ("prompt_sources", "\n\n".join(blocks)),
        ("prompt_claims", "\n".join(asked)),
    )
    return "\n\n".join(f"{language.translate(label)}:\n{text}" for label, text in parts if text)


def reply_tokens(claims: Sequence[Claim]) -> int:
    return BASE_TOKENS + CLAIM_TOKENS * len(claims)


def claim_findings(claims: Sequence[Claim], reply: ClaimVerdicts, language: Language) -> list[Finding]:
    """Return a warning for each claim that its sources contradict or lack, in text order.

    A contradiction needs evidence from a source of its claim. ``not_in_source`` is dropped for a sentence without
    marker or provision, which may be a conclusion.
    """
    by_number: Mapping[int, ClaimVerdict] = {verdict.claim: verdict for verdict in reversed(reply.verdicts)}
    pairs = ((claim, by_number[claim.number]) for claim in claims if claim.number in by_number)
    return list(_findings(pairs, language))


def _findings(pairs: Iterable[tuple[Claim, ClaimVerdict]], language: Language) -> Iterator[Finding]:
    for claim, verdict in pairs:
        rests_on = claim.source_of(verdict.evidence)
        if verdict.verdict == "not_in_source" and (claim.sentence.marks or claim.sentence.named):
            rests_on = rests_on or claim.nearest(language)
        elif verdict.verdict != "contradicted":
            continue
        if rests_on is None:
            continue
        mark, evidence = rests_on
        text, message = claim.sentence.text, language.translate(f"verify_claim_{verdict.verdict}")
        yield make_finding(
            "claim",
            verdict.verdict,
            text,
            (0, len(text)),
            message,
            offset=claim.sentence.start,
            severity="warning",
            mark=mark,
            evidence=evidence,
        )


def side_by_side(finding: Finding, language: Language) -> list[str]:
    """Return the sentence of the answer and that of the source, a line each; none for another check."""
    if finding["check"] != "claim":
        return []
    claim = keep_markers(" ".join(finding["where"].split()), ())[0].strip(" -*•")
    source = " ".join(finding["evidence"].split())
    lines = [language.translate("view_answer_says", text=claim)]
    if source and finding["mark"]:
        lines.append(language.translate("view_source_says", mark=finding["mark"], text=source))
    elif source:
        lines.append(language.translate("view_unmarked_source_says", text=source))
    return lines


def _claims_something(sentence: Sentence) -> bool:
    text = keep_markers(sentence.text, ())[0].strip(" *_-")
    return not text.startswith("#") and len(text.split()) >= LEAST_WORDS and not text.endswith((":", "?"))


def _sentences(text: str) -> Iterator[str]:
    return (" ".join(text[start:end].split()) for start, end in sentence_spans(text))


def _one_line(text: str) -> str:
    return " ".join(neutralise(text).split())


def _normalised(text: str) -> str:
    return " ".join(text.split()).casefold()
