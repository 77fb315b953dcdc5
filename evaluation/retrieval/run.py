"""Runs: what was found for each question, in order, and the TREC format that other evaluators read."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from articulado.language.translation import reason
from articulado.values.errors import InvalidInput
from evaluation.gold.provisions import SEPARATOR, Provision, format_provision, key_of, parse_provision

DECIMALS = 6
STEP = 10**-DECIMALS
"""Least distance between two scores of a run: evaluators that read them as float32 must not see ties."""
COLUMNS = 6


@dataclass(frozen=True)
class Ranked:
    """A provision and the score that put it where it is."""

    provision: Provision
    score: float


Run = dict[str, list[Ranked]]
"""By the id of the question, what was found, best first; each provision once."""


def write_trec(run: Mapping[str, Sequence[Ranked]], path: Path, tag: str) -> None:
    """Write ``query Q0 <law id>#<label> rank score tag``, blanks of a label as ``_``; ranks begin at 1.

    Scores fall strictly from row to row, so that every evaluator keeps the order.

    Raises:
        InvalidInput: the file cannot be written.
    """
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
    """Read a run that we or another system wrote; rankings by descending score, ties by rank.

    Raises:
        InvalidInput: the file cannot be read, or a line is no row of a run; the message names it.
    """
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
