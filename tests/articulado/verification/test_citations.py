"""What is told of the provisions that an answer names, and of its markers."""

import asyncio
from datetime import date

import pytest

from articulado.values.chunks import Chunk
from articulado.verification.citations import KnownProvisions, citation_findings, look_up, named_verdicts
from articulado.verification.reading import ReadAnswer, read_answer
from articulado.verification.sources import Source
from tests.support.chunks import make_chunk

ET, LGSS = "BOE-A-2015-11430", "BOE-A-2015-11724"
HOLIDAYS = "El periodo de vacaciones anuales retribuidas será el pactado y nunca inferior a treinta días naturales."
HOURS = (
    "La duración máxima de la jornada ordinaria será de cuarenta horas semanales de promedio. Véase el artículo 36.1."
)
SOURCES = [
    Source(1, ET, "ET", "Artículo 38", "art:38", HOLIDAYS),
    Source(2, ET, "ET", "Artículo 34", "art:34", HOURS),
]
CLAIM = "Las vacaciones anuales retribuidas nunca son inferiores a treinta días naturales"
PENSION = make_chunk(1, law_id=LGSS, provision_key="art:38", text="Cuantía de pensiones.", source="official")
NO_ARTICLES = KnownProvisions({}, frozenset({ET, LGSS}))


class OneArticle:
    """A store that has the first article of each law, and one more."""

    def __init__(self, chunk: Chunk) -> None:
        self.chunk = chunk

    async def find(self, law_id: str, provision_key: str) -> list[Chunk]:
        if provision_key == "art:1":
            return [make_chunk(9, law_id=law_id, provision_key="art:1", source="official")]
        return [self.chunk] if (law_id, provision_key) == (self.chunk["law_id"], self.chunk["provision_key"]) else []


def _read(text: str) -> ReadAnswer:
    return read_answer(text, "", SOURCES)


def _kinds(text: str, known: KnownProvisions = NO_ARTICLES) -> list[str]:
    return [finding["kind"] for finding in citation_findings(_read(text), known)]


@pytest.mark.parametrize("named", ["art. 38.1 ET", "artículo 38 del Estatuto de los Trabajadores", "art. 38"])
def test_a_right_citation_is_verified(named: str) -> None:
    answer = _read(f"{CLAIM} ({named}) [C1].")
    assert citation_findings(answer, NO_ARTICLES) == []
    assert [(v["status"], v["mark"]) for v in named_verdicts(answer, NO_ARTICLES, [])] == [("verified", "C1")]


@pytest.mark.parametrize("mark", ["[C9]", "【C9】", "[C1, C9]", "[Fuente 9]"])
def test_a_marker_without_a_fragment_dangles(mark: str) -> None:
    (finding,) = citation_findings(_read(f"{CLAIM} {mark}."), NO_ARTICLES)
    assert (finding["check"], finding["kind"], finding["where"]) == ("mark", "dangling", mark)


def test_what_a_law_does_not_have_and_what_it_has_elsewhere() -> None:
    assert _kinds(f"{CLAIM} (art. 538 ET).") == ["no_such_provision"]
    # Of a law that the index does not have whole, only that a source bears what it is named for can be told.
    assert _kinds(f"{CLAIM} (art. 538 ET).", KnownProvisions({})) == ["wrong_provision"]
    assert _kinds(f"{CLAIM} (art. 34 ET).") == ["wrong_provision"]


def test_a_provision_that_a_source_names_is_fine() -> None:
    assert _kinds("El trabajo nocturno se limita aparte (art. 36.1 ET) [C2].") == []


def test_the_number_of_another_law_is_looked_up() -> None:
    answer = _read(f"{CLAIM} (artículo 38 LGSS) [C1].")
    day = date(2026, 1, 1)
    known = asyncio.run(look_up(answer, OneArticle(PENSION), None, day))  # type: ignore[arg-type]
    assert known.laws == {LGSS}
    assert [finding["kind"] for finding in citation_findings(answer, known)] == ["swapped_law"]
    assert [verdict["status"] for verdict in named_verdicts(answer, known, [])] == ["in_index_not_in_context"]


def test_a_marker_behind_the_stop_is_of_the_sentence_before() -> None:
    answer = _read("Son treinta días naturales. [C1] La jornada es de cuarenta horas. [C2]")
    rests = [sentence.rests_on for sentence in answer.sentences if any(map(str.isalpha, sentence.text[4:]))]
    assert rests[:2] == [(1,), (2,)]
