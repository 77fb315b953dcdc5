"""Runs in TREC format, and ranking metrics of each question."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from articulado.language.translation import reason
from articulado.values.errors import InvalidInput
from evaluation.gold.questions import (
    MAX_GRADE,
    SEPARATOR,
    Provision,
    Question,
    format_provision,
    key_of,
    parse_provision,
)

if TYPE_CHECKING:
    from ir_measures import Measure


DECIMALS = 6
STEP = 10**-DECIMALS  # least distance between two scores of a run, so that evaluators with float32 see no ties
COLUMNS = 6


@dataclass(frozen=True)
class Ranked:
    """A provision and its score."""

    provision: Provision
    score: float


Run = Mapping[str, Sequence[Ranked]]  # found provisions by question id, best first, each once


def write_trec(run: Mapping[str, Sequence[Ranked]], path: Path, tag: str) -> None:
    """Write ``query Q0 <law id>#<label> rank score tag``; scores fall strictly, without ties."""
    lines = [
        f"{query} Q0 {_joined(format_provision(ranked.provision))} {rank} {score:.{DECIMALS}f} {_joined(tag)}\n"
        for query, ranking in run.items()
        for rank, (ranked, score) in enumerate(zip(ranking, _falling(ranking), strict=True), start=1)
    ]
    try:
        path.write_text("".join(lines), encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"No se puede escribir {path}: {reason(error)}. Indique otra ruta.") from error


def _joined(text: str) -> str:
    return "_".join(text.split())


def _falling(ranking: Sequence[Ranked]) -> Iterator[float]:
    last = math.inf
    for ranked in ranking:
        last = min(round(ranked.score, DECIMALS), last - STEP)
        yield last


def read_trec(path: Path) -> Run:
    """Read a run of this or another system; rankings by descending score, ties by rank. Errors name the line."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} no está en UTF-8. Conviértalo, por ejemplo con iconv -t UTF-8.") from error
    except OSError as error:
        raise InvalidInput(f"No se puede leer {path}: {reason(error)}. Compruebe la ruta.") from error
    rows: dict[str, list[tuple[float, int, Provision]]] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            query, provision, rank, score = _row(line, f"{path}, línea {number}")
            rows.setdefault(query, []).append((-score, rank, provision))
    if not rows:
        raise InvalidInput(f"{path} está vacío: no es una lista de resultados en formato TREC.")
    return {
        query: [Ranked(provision, -negative) for negative, _, provision in _each_once(sorted(ranked_rows))]
        for query, ranked_rows in rows.items()
    }


def _row(line: str, where: str) -> tuple[str, Provision, int, float]:
    columns = line.split()
    # Only a label has blanks; an identifier of a document of one's own may have a real "_".
    law_id, separator, label = columns[2].partition(SEPARATOR) if len(columns) == COLUMNS else ("", "", "")
    provision = parse_provision(law_id + separator + label.replace("_", " "))
    try:
        if provision is None:
            raise ValueError(line)
        rank, score = int(columns[3]), float(columns[4])
        if not math.isfinite(score):
            raise ValueError(line)
    except ValueError as error:
        raise InvalidInput(
            f"{where}: se esperaba «pregunta Q0 <norma>#<precepto> posición puntuación sistema», con los espacios del "
            "precepto como «_»."
        ) from error
    return columns[0], provision, rank, score


def _each_once(rows: Sequence[tuple[float, int, Provision]]) -> Iterator[tuple[float, int, Provision]]:
    seen = set()
    for row in rows:
        if (key := key_of(row[2])) not in seen:
            seen.add(key)
            yield row


PerQuestion = Mapping[str, Mapping[str, float]]

P_3 = "P@3"
P_3_NORMALISED = "P@3/min(3,R)"
MAIN = "nDCG@10"
METRICS = (
    "nDCG@5", MAIN, "RR", P_3, P_3_NORMALISED, "R@5", "R@20", "hit@1", "hit@3", "success@1", "success@3",
)  # fmt: skip


@cache
def _measures() -> "Mapping[str, Measure]":
    # Imported here: the command line must start without it.
    from ir_measures import RR, P, R, Success, nDCG

    # Gains 2^grade - 1, discounts log2(rank + 1) (Burges et al., 2005); ir-measures' own "exp-log2" asks for Perl.
    gains = {grade: 2**grade - 1 for grade in range(MAX_GRADE + 1)}
    return {
        "nDCG@5": nDCG(gains=gains) @ 5,
        MAIN: nDCG(gains=gains) @ 10,
        "RR": RR,
        P_3: P @ 3,
        "R@5": R @ 5,
        "R@20": R @ 20,
        "hit@1": Success(rel=2) @ 1,
        "hit@3": Success(rel=2) @ 3,
        "success@1": Success @ 1,
        "success@3": Success @ 3,
    }


def per_question(questions: Sequence[Question], run: Mapping[str, Sequence[Ranked]]) -> dict[str, dict[str, float]]:
    """Return every metric of every question that has a right provision, in the order of the gold set.

    nDCG@k = DCG@k / ideal DCG@k with gains 2^grade - 1 (Järvelin and Kekäläinen, 2002). P@3/min(3,R) scales P@3 to a
    maximum of 1 for a question with R right provisions.

    >>> first, second = ("BOE-A-2015-11430", "Artículo 38"), ("BOE-A-2015-11430", "Artículo 40")
    >>> values = per_question([Question("id", "¿?", {second: 2})], {"id": [Ranked(first, 0.9), Ranked(second, 0.8)]})
    >>> round(values["id"]["nDCG@10"], 4), values["id"]["RR"]  # 1 / log2(2 + 1), 1 / 2
    (0.6309, 0.5)
    """
    import ir_measures

    positive = [question for question in questions if not question.is_negative]
    if not positive:
        return {}
    qrels = {question.id: _graded(question.relevant) for question in positive}
    ranked = {question.id: _scored(run.get(question.id, ())) for question in positive}
    names = {measure: name for name, measure in _measures().items()}
    values: dict[str, dict[str, float]] = {question.id: {} for question in positive}
    for result in ir_measures.iter_calc(list(names), qrels, ranked):
        values[result.query_id][names[result.measure]] = float(result.value)
    for question_id, relevant in qrels.items():
        values[question_id][P_3_NORMALISED] = values[question_id][P_3] * 3 / min(3, len(relevant))
    return {question_id: {name: metrics[name] for name in METRICS} for question_id, metrics in values.items()}


def means(values: PerQuestion) -> dict[str, float]:
    return {name: sum(metrics[name] for metrics in values.values()) / len(values) for name in METRICS} if values else {}


def _graded(relevant: Mapping[Provision, int]) -> dict[str, int]:
    grades: dict[str, int] = {}
    for provision, grade in relevant.items():
        grades[_document(provision)] = max(grade, grades.get(_document(provision), 0))
    return grades


def _scored(ranking: Sequence[Ranked]) -> dict[str, float]:
    """Return ranks as scores, without ties; each provision at its best rank."""
    documents = dict.fromkeys(_document(ranked.provision) for ranked in ranking)
    return {document: float(len(documents) - place) for place, document in enumerate(documents)}


def _document(provision: Provision) -> str:
    return "#".join(key_of(provision))
