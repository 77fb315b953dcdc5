"""What the answers to a gold set are worth: what they cite, what they say without support, what they leave out."""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.answers.support import unsupported
from evaluation.gold.provisions import Provision, key_of, make_provision
from evaluation.gold.questions import Question
from evaluation.retrieval.failures import answering_keys
from evaluation.retrieval.retrieve import LAW
from graph.rag import build_rag
from language.folding import fold
from language.numerals import read_number
from services.container import Services
from state.chunks import Chunk
from state.context import RunContext
from state.errors import ArticuladoError
from state.rag import RagOutput

PRECISION = "precision_normativa"
CITES_RIGHT = "citas_correctas"
RECALL = "exhaustividad_citas"
NO_INVENTION = "ausencia_alucinaciones"
FACTS = "hechos_contenidos"
ABSTAINS = "abstencion_correcta"
REFUSES = "negativa_indebida"
ANSWER_METRICS = (PRECISION, CITES_RIGHT, RECALL, NO_INVENTION, FACTS, ABSTAINS, REFUSES)
"""In the order in which they are shown. Of all but ``negativa_indebida``, more is better."""


_STATE = [*RagOutput.__annotations__, "context"]
"""What is read of the graph's state: its output, and the fragments that the model read."""

_PERCENT = re.compile(r"\s*por\s+(?:cien(?:to)?|100)\b")
_TOKEN = re.compile(r"\w+(?:[.,]\w+)*|[%€]")


@dataclass(frozen=True)
class AnswerResult:
    """The metrics of one answer; only those that the question allows (see ``measure_answer``).

    ``cited`` are the provisions of laws that the markers of the answer point to, each once; ``wrong`` those that the
    gold set does not name. ``unsupported`` lists provisions, then figures; ``missing`` facts of the gold set.
    """

    question: Question
    answer: str
    abstained: bool
    cited: tuple[Provision, ...]
    wrong: tuple[Provision, ...]
    unsupported: tuple[str, ...]
    missing: tuple[str, ...]
    metrics: Mapping[str, float]


async def evaluate_answers(
    services: Services,
    questions: Sequence[Question],
    *,
    context: RunContext | None = None,
    on_question: Callable[[], None] = lambda: None,
) -> list[AnswerResult]:
    """Ask the whole graph every question, one after the other, with whatever models are configured.

    Raises:
        ArticuladoError: a question cannot be asked, or a service does not work; the message names the question.
    """
    graph = build_rag(services)
    results = []
    for question in questions:
        try:
            state: Any = await graph.ainvoke({"question": question.question}, context=context, output_keys=_STATE)
        except ArticuladoError as error:
            raise type(error)(f"Pregunta «{question.id}»: {error}") from error
        chunks = [candidate["chunk"] for candidate in state["context"]]
        results.append(await asyncio.to_thread(measure_answer, question, state, chunks))
        on_question()
    return results


def measure_answer(question: Question, result: RagOutput, context: Sequence[Chunk]) -> AnswerResult:
    """Measure one answer, given the fragments that the model has read.

    - ``precision_normativa``: share of the cited provisions that are right, of any grade; an answer that cites none
      has 0. ``citas_correctas``: 1 if one that answers is cited. ``exhaustividad_citas``: share of those that are.
      What answers is what has the highest grade. None of the three of a negative.
    - ``ausencia_alucinaciones``: 1 if no provision and no figure lacks support (``support.unsupported``).
    - ``hechos_contenidos``: share of the question's facts that the answer contains; only where it has some.
    - ``abstencion_correcta``: of a negative, 1 if it is declined. ``negativa_indebida``: of any other, 1 if it is.

    A refusal claims nothing: it has no ``precision_normativa`` and no ``ausencia_alucinaciones``.
    """
    chunks = {chunk["id"]: chunk for chunk in context}
    cited_ids = [citation["chunk_id"] for citation in result["citations"]]
    fragments = [chunks[chunk_id] for chunk_id in cited_ids if chunk_id in chunks]
    of_laws = [chunk for chunk in fragments if chunk["collection"] == LAW]
    provisions = [make_provision(chunk["law_id"], chunk["provision"]) for chunk in of_laws]
    cited = {key_of(provision): provision for provision in provisions}
    relevant = set(map(key_of, question.relevant))
    claims = unsupported(result["answer"], question.question, context, fragments)
    inventions = [*claims.provisions, *claims.figures] if not result["abstained"] else []
    missing = missing_facts(question.answer_facts, "" if result["abstained"] else result["answer"])

    metrics: dict[str, float] = {}
    if not result["abstained"]:
        metrics[NO_INVENTION] = float(not inventions)
    if question.is_negative:
        metrics[ABSTAINS] = float(result["abstained"])
    else:
        right, answering = relevant & cited.keys(), answering_keys(question)
        if not result["abstained"]:
            metrics[PRECISION] = len(right) / len(cited) if cited else 0.0
        metrics[CITES_RIGHT] = float(not answering.isdisjoint(cited))
        metrics[RECALL] = len(answering & cited.keys()) / len(answering)
        metrics[REFUSES] = float(result["abstained"])
        if question.answer_facts:
            metrics[FACTS] = 1 - len(missing) / len(question.answer_facts)
    return AnswerResult(
        question=question,
        answer=result["answer"],
        abstained=result["abstained"],
        cited=tuple(cited.values()),
        wrong=tuple(provision for key, provision in cited.items() if key not in relevant),
        unsupported=tuple(inventions),
        missing=missing,
        metrics={name: metrics[name] for name in ANSWER_METRICS if name in metrics},
    )


def missing_facts(facts: Sequence[str], answer: str) -> tuple[str, ...]:
    """Return the facts whose words do not follow one another in the answer.

    Case, accents, white space and punctuation do not matter, and neither does whether a number is in words or digits.

    >>> missing_facts(["treinta días naturales", "dos pagas"], "Son 30 días naturales [C1].")
    ('dos pagas',)
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


def answer_means(results: Sequence[AnswerResult]) -> dict[str, tuple[float, int]]:
    """Return the mean of each metric and over how many questions it is; none for what no question allows."""
    scores = {name: [result.metrics[name] for result in results if name in result.metrics] for name in ANSWER_METRICS}
    return {name: (sum(values) / len(values), len(values)) for name, values in scores.items() if values}


def cited_by_question(results: Sequence[AnswerResult]) -> dict[str, tuple[Provision, ...]]:
    """Return what each answer cites by the id of the question, as ``failures`` takes it."""
    return {result.question.id: result.cited for result in results}
