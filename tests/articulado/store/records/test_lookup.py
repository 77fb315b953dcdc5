import pytest

from articulado.store.records.chunks import with_chunks
from articulado.store.records.lookup import MIN_SCORE, PackagedRecords
from articulado.store.records.schema import Corpus, ProvisionRecord
from articulado.values.protocols import ChunkStore, HybridQuery, SearchFilter, SparseVector

ET = "BOE-A-2015-11430"


def record(
    label: str, title: str, *, points=("1. Texto.",), questions=("algo",), keywords=("cosa",)
) -> ProvisionRecord:
    return ProvisionRecord(
        law_id=ET,
        provision=label,
        title=title,
        summary="Resumen.",
        written_against={"content_hash": "0" * 16, "date": "2015-11-13"},
        points=points,
        questions=questions,
        keywords=keywords,
        topics=("tema",),
        refs=(),
    )


RECORDS = PackagedRecords(
    with_chunks(
        Corpus(
            (
                record("Artículo 36", "Trabajo nocturno", questions=("cuanto es el plus de noche",)),
                record("Artículo 38", "Vacaciones anuales", points=("1. Son 30 días naturales.",)),
                record("Artículo 54", "Despido disciplinario", keywords=("echar a la calle",)),
                record("Artículo 59", "Prescripción y caducidad", points=("3. Contra el despido hay 20 días.",)),
            )
        )
    )
)
PACKAGED = PackagedRecords()


def looked_up(records: PackagedRecords, question: str, *named: str, limit: int = 10) -> list[str]:
    provisions = [{"law_id": ET, "provision_key": key} for key in named]
    return [hit.chunk["provision"] for hit in records.lookup(question, provisions, limit)]


def test_a_named_provision_comes_first_with_full_score():
    hits = RECORDS.lookup("despido", [{"law_id": ET, "provision_key": "art:38"}], 10)
    assert [hit.chunk["provision"] for hit in hits] == ["Artículo 38", "Artículo 54", "Artículo 59"]
    # "despido" is three times in one title (weighed threefold: 3/4), and once in the other record (1/2).
    assert [hit.score for hit in hits] == [1.0, pytest.approx(0.8 * 3 / 4), pytest.approx(0.8 * 1 / 2)]


def test_a_named_provision_is_listed_once():
    assert looked_up(RECORDS, "vacaciones anuales", "art:38") == ["Artículo 38"]


def test_a_named_provision_without_a_record_adds_nothing():
    assert looked_up(RECORDS, "vacaciones", "art:999") == ["Artículo 38"]


def test_title_questions_keywords_and_points_are_searched():
    assert looked_up(RECORDS, "trabajo nocturno")[0] == "Artículo 36"
    assert looked_up(RECORDS, "plus de noche") == ["Artículo 36"]
    assert looked_up(RECORDS, "me quieren echar a la calle")[0] == "Artículo 54"
    assert looked_up(RECORDS, "30 dias naturales")[0] == "Artículo 38"


def test_accents_and_inflection_do_not_matter():
    assert looked_up(RECORDS, "VACACION") == looked_up(RECORDS, "vacaciones") == ["Artículo 38"]
    assert looked_up(RECORDS, "prescripcion") == ["Artículo 59"]


def test_a_synonym_of_the_question_puts_a_record_before_its_equals():
    # "festivos" calls for "fiestas laborales".
    rest, holidays = (
        record("Artículo 1", "Descanso semanal"),
        record("Artículo 2", "Descanso semanal y fiestas laborales"),
    )
    unrelated = [record(f"Artículo {number}", "Otro") for number in range(3, 9)]
    records = PackagedRecords(with_chunks(Corpus((rest, holidays, *unrelated))))
    first, second = records.lookup("descanso semanal y festivos", [], 5)
    assert (first.chunk["provision"], second.chunk["provision"]) == ("Artículo 2", "Artículo 1")
    assert first.score > second.score


@pytest.mark.parametrize("question", ["receta de paella", "", "¿?", "de la y el"])
def test_an_unrelated_question_finds_no_record(question):
    assert looked_up(RECORDS, question) == []


def test_the_limit_counts_named_provisions_too():
    assert looked_up(RECORDS, "despido", "art:38", limit=2) == ["Artículo 38", "Artículo 54"]


def test_scores_follow_the_formula():
    # Two records; the stem stands in one of two: w = ln(3/2) / ln(3) cancels out. It occurs 3 times in the title
    # (weighed threefold), once in the only question, which is nothing but the stem: 0.8 · 4/5 + 0.2 · 1.
    records = PackagedRecords(
        with_chunks(Corpus((record("Artículo 1", "Xilófono", questions=("xilófono",)), record("Artículo 2", "Otro"))))
    )
    assert [hit.score for hit in records.lookup("xilófonos", [], 5)] == [pytest.approx(0.84)]


def test_scores_are_in_range_and_fall_and_ties_go_by_id():
    hits = PACKAGED.lookup("¿Cuántos días de vacaciones me corresponden si me despiden?", [], 50)
    keys = [(-hit.score, hit.chunk["id"]) for hit in hits]
    assert keys == sorted(keys)
    assert all(MIN_SCORE <= hit.score <= 1 for hit in hits)


@pytest.mark.parametrize(
    ("question", "provision"),
    [
        ("horas extra sin pagar", "Artículo 35"),
        ("puedo cobrar el paro si dejo el trabajo", "Artículo 267"),
        ("cuanto es el salario minimo en 2026", "Artículo 1"),
        ("cuánto dura la baja de paternidad", "Artículo 48"),
        ("los riders son falsos autónomos", "STS 805/2020"),
        ("Criterio Técnico 101/2019 fichar", "Criterio Técnico ITSS 101/2019"),
    ],
)
def test_the_packaged_records_answer_everyday_questions(question, provision):
    assert provision in looked_up(PACKAGED, question, limit=3)


def test_a_question_about_cooking_finds_no_record():
    assert looked_up(PACKAGED, "receta de paella valenciana con garrofón") == []


async def test_records_are_a_chunk_store_without_vectors():
    store: ChunkStore = RECORDS
    (vacations,) = await store.find(ET, "art:38")
    assert vacations["provision"] == "Artículo 38"
    assert await store.find(ET, "art:1") == []
    (night,) = await store.find(ET, "art:36")
    assert await store.fetch([night["id"], 1, vacations["id"]]) == [night, vacations]
    query = HybridQuery(None, SparseVector((1,), (1.0,)))
    assert await store.search("normativa", [query, query], limit=5, prefetch=5, where=SearchFilter()) == [[], []]
    assert await store.counts() == {"normativa": 4}
    await store.close()


async def test_every_packaged_reference_can_be_fetched():
    _, chunk = max(PACKAGED._pairs, key=lambda pair: len(pair[1]["refs"]))
    assert [cited["id"] for cited in await PACKAGED.fetch(chunk["refs"])] == chunk["refs"]
    assert sum((await PACKAGED.counts()).values()) == len(PACKAGED._pairs)
