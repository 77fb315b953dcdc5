"""Metrics of answers: correct citations, unsupported claims, missing facts and form of the replies."""

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast, get_args

from articulado.language.folding import fold
from articulado.language.numerals import read_number
from articulado.prompting.answer_text import DELIMITER
from articulado.prompting.citation_markers import markers_in, one_per_mark
from articulado.prompting.stream_splitter import StreamSplitter, parse_reply
from articulado.values.answers import AnswerOutcome, Citation
from articulado.values.chunks import Chunk
from articulado.values.errors import ArticuladoError
from articulado.values.protocols import ChatModel, Completion
from evaluation.gold.questions import Key, Provision, Question, key_of, make_provision
from evaluation.recording.recording import ReplyMissing
from evaluation.retrieval.evaluate import LAW, answering_keys
from graph.rag import build_rag
from graph.services import Services
from nodes.chunk_shelf import ChunkShelf
from nodes.stage import default_options
from state.context import RunContext
from state.rag import RagOutput, RagState


class Recorder:
    """Forwards to the principal model, if there is one, and keeps its replies; a graph runs with ``services``."""

    def __init__(self, services: Services) -> None:
        self._model = services.principal_model
        self._replies: list[str] = []
        self.services = replace(services, principal_model=cast("ChatModel", self)) if self._model else services

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def take(self) -> tuple[str, ...]:
        replies, self._replies = tuple(self._replies), []
        return replies

    async def complete(self, *args: Any, **options: Any) -> Completion:
        return self._kept(await cast("ChatModel", self._model).complete(*args, **options))

    async def stream(self, *args: Any, **options: Any) -> Completion:
        return self._kept(await cast("ChatModel", self._model).stream(*args, **options))

    def _kept(self, reply: Completion) -> Completion:
        self._replies.append(reply.text)
        return reply


Trait = Literal[
    "no_delimiter",
    "no_used",
    "no_drop",
    "unknown_marks",
    "protocol_words",
    "fragment_words",
    "needs",
    "second_answer",
    "asked_again",
]
"""Trait of a reply: a fault, or one of the last three, which count further requests to the model."""
TRAITS: tuple[Trait, ...] = get_args(Trait)

_PROTOCOL = re.compile(r"\b(?:NEED|USED|DROP|META)\b")
_FRAGMENT = re.compile(r"\bfragment(?:o?s?)\b", re.IGNORECASE)


def form_of(replies: Sequence[str], state: RagState) -> frozenset[Trait]:
    """Return the traits of the replies (at least one) to one question; the user was shown the last reply."""
    splitter = StreamSplitter()
    splitter.feed(replies[-1])
    splitter.close()
    keywords = {keyword for keyword, _ in splitter.self_evaluation}
    shown = state["answer"] if state["outcome"] == "answer" else ""
    answers = 2 if state["refetched"] and len(replies) > 1 else 1
    traits: dict[Trait, bool] = {
        "no_delimiter": DELIMITER not in replies[-1],
        "no_used": "USED" not in keywords,
        "no_drop": "DROP" not in keywords,
        "unknown_marks": not all(verdict["valid"] for verdict in state["verdicts"]),
        "protocol_words": bool(_PROTOCOL.search(shown)),
        "fragment_words": bool(_FRAGMENT.search(shown)),
        "needs": any(parse_reply(reply, 0).needs for reply in replies),
        "second_answer": answers > 1,
        "asked_again": len(replies) > answers,
    }
    return frozenset(trait for trait, holds in traits.items() if holds)


PRECISION = "precision_normativa"
CITES_RIGHT = "citas_correctas"
RECALL = "exhaustividad_citas"
NO_INVENTION = "ausencia_alucinaciones"
ANSWER_METRICS = (PRECISION, CITES_RIGHT, RECALL, NO_INVENTION)

_STATE = [*RagOutput.__annotations__, "context", "draft", "refetched", "searches", "store"]

Refuser = Literal["gate", "principal"]
"""Origin of a refusal: the stages before the principal model, which is then not called, or that model."""

_PERCENT = re.compile(r"\s*por\s+(?:cien(?:to)?|100)\b")
_TOKEN = re.compile(r"\w+(?:[.,]\w+)*|[%€]")


@dataclass(frozen=True)
class AnswerResult:
    """Metrics of one answer, as far as the question allows them (see ``measure_answer``).

    ``cited`` are provisions in reading order; ``wrong`` those not in the gold set. ``relevance`` is the graph's
    probability that the question can be answered. ``form`` is ``None`` without a chat model.
    """

    question: Question
    answer: str
    outcome: AnswerOutcome
    cited: tuple[Provision, ...]
    wrong: tuple[Provision, ...]
    unsupported: tuple[str, ...]
    missing: tuple[str, ...]
    metrics: Mapping[str, float]
    relevance: float | None = None
    principal_called: bool = True
    form: frozenset[Trait] | None = None

    @property
    def abstained(self) -> bool:
        return self.outcome != "answer"

    @property
    def refused_by(self) -> Refuser | None:
        if self.outcome != "decline":
            return None
        return "principal" if self.principal_called else "gate"

    def cites_answer(self, within: int | None = None) -> bool:
        """Tell if an answering provision is among the first ``within`` cited ones, by default among all."""
        return not answering_keys(self.question).isdisjoint(map(key_of, self.cited[:within]))


@dataclass(frozen=True)
class Answers:
    """Measured answers; ``unfinished`` maps other question ids to the reply missing from the recording."""

    results: Sequence[AnswerResult] = ()
    unfinished: Mapping[str, ReplyMissing] = field(default_factory=dict)


async def evaluate_answers(
    services: Services, questions: Sequence[Question], *, context: RunContext | None = None
) -> Answers:
    """Ask the whole graph every question, one after the other; errors name the question."""
    recorded = Recorder(services)
    graph, has_form = build_rag(recorded.services), is_asked_for_form(services, context)
    shelf = ChunkShelf(services.stores)
    results: list[AnswerResult] = []
    unfinished: dict[str, ReplyMissing] = {}
    for question in questions:
        try:
            state: Any = await graph.ainvoke({"question": question.question}, context=context, output_keys=_STATE)
        except ReplyMissing as missing:
            unfinished[question.id] = missing
            recorded.take()
            continue
        except ArticuladoError as error:
            raise type(error)(f"Pregunta «{question.id}»: {error}") from error
        state = await shelf.resolved(state)
        chunks = [candidate["chunk"] for candidate in one_per_mark(state["context"])]
        called = bool(state["draft"])
        result = await asyncio.to_thread(measure_answer, question, state, chunks, principal_called=called)
        replies = recorded.take()
        results.append(replace(result, form=form_of(replies, state) if replies and has_form else None))
    return Answers(results, unfinished)


def is_asked_for_form(services: Services, context: RunContext | None) -> bool:
    """Tell if a chat model answers, with the grounded prompt that demands a form of reply."""
    grounded = default_options(services.settings).overridden_by(context).grounded_prompting
    return grounded and services.settings.principal.provider != "offline"


def measure_answer(
    question: Question, result: RagOutput, context: Sequence[Chunk], *, principal_called: bool
) -> AnswerResult:
    """Measure one answer, given the fragments that the model has read.

    - ``precision_normativa``: share of the cited provisions that are right, of any grade; 0 without citations.
    - ``citas_correctas``: 1 if an answering provision (of the highest grade) is cited.
    - ``exhaustividad_citas``: share of the answering provisions that are cited.
    - ``ausencia_alucinaciones``: 1 if the check of answers has no finding; ``unsupported`` are their wordings.

    A negative question has none of the first three; an abstention has the middle two, as 0.
    """
    answered = result["outcome"] == "answer"
    cited = provisions_of(cited_fragments(result, context))
    relevant = set(map(key_of, question.relevant))
    # A gap is a part of the source that could not be read.
    claims = [finding["where"] for finding in result["findings"] if finding["check"] != "gap"] if answered else []

    metrics: dict[str, float] = {}
    if answered:
        metrics[NO_INVENTION] = float(not claims)
    if not question.is_negative:
        claimed: set[Key] = set(cited) if answered else set()
        answering = answering_keys(question)
        if answered:
            metrics[PRECISION] = len(relevant & claimed) / len(claimed) if claimed else 0.0
        metrics[CITES_RIGHT] = float(not answering.isdisjoint(claimed))
        metrics[RECALL] = len(answering & claimed) / len(answering)
    return AnswerResult(
        question=question,
        answer=result["answer"],
        outcome=result["outcome"],
        cited=tuple(cited.values()),
        wrong=tuple(provision for key, provision in cited.items() if key not in relevant),
        unsupported=tuple(dict.fromkeys(claims)),
        missing=missing_facts(question.answer_facts, result["answer"] if answered else ""),
        metrics={name: metrics[name] for name in ANSWER_METRICS if name in metrics},
        relevance=result["relevance"],
        principal_called=principal_called,
    )


def cited_fragments(result: RagOutput, context: Sequence[Chunk]) -> list[Chunk]:
    chunks = {chunk["id"]: chunk for chunk in context}
    ids = [citation["chunk_id"] for citation in _as_read(result["answer"], result["citations"])]
    return [chunks[chunk_id] for chunk_id in ids if chunk_id in chunks]


def provisions_of(fragments: Iterable[Chunk]) -> dict[Key, Provision]:
    """Return the provisions of laws of some fragments, each once, in order."""
    of_laws = (chunk for chunk in fragments if chunk["collection"] == LAW)
    provisions = (make_provision(chunk["law_id"], chunk["provision"]) for chunk in of_laws)
    found: dict[Key, Provision] = {}
    for provision in provisions:
        found.setdefault(key_of(provision), provision)
    return found


def _as_read(answer: str, citations: Sequence[Citation]) -> list[Citation]:
    places = {f"C{number}": place for place, number in enumerate(markers_in(answer))}
    return sorted(citations, key=lambda citation: places.get(citation["mark"], len(places)))


def missing_facts(facts: Sequence[str], answer: str) -> tuple[str, ...]:
    """Return the facts whose words do not follow one another in the answer.

    Case, accents, white space and punctuation are ignored, and numbers may be in words or digits.
    """
    plain_answer = _plain(answer)
    return tuple(fact for fact in facts if _plain(fact) not in plain_answer)


def _plain(text: str) -> str:
    """Return the words between blanks: "Treinta y tres días" is " 33 dias "."""
    folded = fold(text)
    pieces, position = [], 0
    while read := read_number(folded, position):
        start, end, value = read
        percent = _PERCENT.match(folded, end)
        pieces += [folded[position:start], f"{value.normalize():f}", " % " if percent else ""]
        position = percent.end() if percent else end
    return f" {' '.join(_TOKEN.findall(''.join([*pieces, folded[position:]])))} "
