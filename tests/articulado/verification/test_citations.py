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


def _known(*found: Chunk, asked: tuple[tuple[str, str], ...] = ()) -> KnownProvisions:
    parts = {(chunk["law_id"], chunk["provision_key"]): [chunk] for chunk in found}
    texts = {ref: some[0]["text"] for ref, some in parts.items()}
    return KnownProvisions({**dict.fromkeys(asked, ()), **parts}, frozenset({ET, LGSS}), frozenset(), texts)


@pytest.mark.parametrize(
    "text",
    [f"{CLAIM} (art. 538 ET).", f"Según el artículo 538 del Estatuto de los Trabajadores, {CLAIM} [C1]."],
)
def test_a_provision_that_its_law_does_not_have_is_found(text: str) -> None:
    assert _kinds(text, _known(asked=((ET, "art:538"),))) == ["no_such_provision"]


@pytest.mark.parametrize(
    ("text", "known"),
    [
        # The index does not have the official text of the law, or was not asked.
        (f"{CLAIM} (art. 538 ET).", KnownProvisions({(ET, "art:538"): ()})),
        (f"{CLAIM} (art. 538 ET).", NO_ARTICLES),
        # The law is not named, and one of the laws of the answer has the provision.
        (f"{CLAIM} [C1]. Véase el artículo 538.", _known(make_chunk(1, law_id=LGSS, provision_key="art:538"))),
        ("El artículo 538 ET no existe.", _known(asked=((ET, "art:538"),))),
        # A text that fits less well than another one is no error.
        (f"{CLAIM} (art. 34 ET).", NO_ARTICLES),
        (f"{CLAIM} [C1], sin perjuicio de la LGSS.", NO_ARTICLES),
    ],
)
def test_uncertain_errors_are_not_reported(text: str, known: KnownProvisions) -> None:
    assert _kinds(text, known) == []


def test_a_provision_that_a_source_names_is_fine() -> None:
    assert _kinds("El trabajo nocturno se limita aparte (art. 36.1 ET) [C2].") == []


def test_a_repealed_provision_is_found() -> None:
    old = make_chunk(1, law_id=ET, provision_key="art:39", source="official", valid_to="2020-01-01")
    answer = _read(f"{CLAIM} (art. 39 ET).")
    known = asyncio.run(look_up(answer, OneArticle(old), None, date(2026, 1, 1)))  # type: ignore[arg-type]
    assert [finding["kind"] for finding in citation_findings(answer, known)] == ["repealed"]
    assert [verdict["status"] for verdict in named_verdicts(answer, known, [])] == ["repealed"]
    told = _read("El artículo 39 ET está derogado [C1].")
    assert citation_findings(told, known) == []


def test_an_apartado_or_letter_that_the_article_does_not_have_is_found() -> None:
    text = "1. Habrá vacaciones:\na) De verano.\nb) De invierno.\n2. No se compensan."
    known = _known(make_chunk(1, law_id=ET, provision_key="art:39", text=text))
    cited = "Lo dice el artículo {} ET."
    assert _kinds(cited.format("39.7"), known) == ["no_such_part"]
    assert _kinds(cited.format("39.1.f)"), known) == ["no_such_part"]
    assert [_kinds(cited.format(part), known) for part in ("39", "39.2", "39.1.b)")] == [[], [], []]
    uncounted = _known(make_chunk(1, law_id=ET, provision_key="art:39", text="Sin apartados."))
    assert _kinds(cited.format("39.7"), uncounted) == []


def test_the_provisions_named_are_looked_up() -> None:
    answer = _read(f"{CLAIM} (artículo 38 LGSS) [C1].")
    known = asyncio.run(look_up(answer, OneArticle(PENSION), None, date(2026, 1, 1)))  # type: ignore[arg-type]
    assert (known.laws, known.texts) == ({LGSS}, {(LGSS, "art:38"): "Cuantía de pensiones."})
    (finding,) = citation_findings(answer, known)
    assert (finding["kind"], finding["severity"], finding["mark"]) == ("swapped_law", "error", "C1")
    assert finding["where"] == "artículo 38 LGSS"
    assert [verdict["status"] for verdict in named_verdicts(answer, known, [])] == ["in_index_not_in_context"]


def test_a_message_has_no_marker_that_the_shown_answer_lacks() -> None:
    (finding,) = citation_findings(_read(f"{CLAIM} [C9]."), NO_ARTICLES)
    assert "C9" not in finding["message"]
    assert finding["mark"] == ""


def test_a_marker_behind_the_stop_is_of_the_sentence_before() -> None:
    answer = _read("Son treinta días naturales. [C1] La jornada es de cuarenta horas. [C2]")
    rests = [sentence.rests_on for sentence in answer.sentences if any(map(str.isalpha, sentence.text[4:]))]
    assert rests[:2] == [(1,), (2,)]
