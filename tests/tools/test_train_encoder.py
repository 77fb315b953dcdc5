"""What the offline encoder learns from, by hand: documents, and what is said of each in other words."""

from collections import Counter
from collections.abc import Callable

import pytest
from support.doubles import make_chunk

from articulado.encoders.dual import DualEncoder, TrainingPairs
from articulado.store.records.chunks import with_chunks
from articulado.store.records.schema import (
    Corpus,
    CriterionRecord,
    EmptyRecord,
    ProvisionRecord,
    Record,
    Situation,
    load_situations,
)
from tools import train_encoder as training_pairs
from tools.train_encoder import is_held_back, precedents_of, training_pairs_of

ET, AGENCY = "BOE-A-2015-11430", "BOE-A-1994-12554"
WRITTEN = {"content_hash": "0" * 16, "date": "2015-11-13"}


def record(label: str, *, questions: tuple[str, ...] = (), law_id: str = ET) -> ProvisionRecord:
    return ProvisionRecord(
        law_id=law_id,
        provision=label,
        title=f"Título llano del {label.lower()}",
        summary=f"Resumen del {label.lower()}.",
        points=("1. Una regla.", "2. Otra regla."),
        questions=questions,
        keywords=("palabra",),
        topics=("tema",),
        refs=(),
        written_against=WRITTEN,
    )


Give = Callable[..., None]


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> Give:
    """Set the packaged records and situations; none to begin with."""

    def give(*records: Record, situations: tuple[Situation, ...] = ()) -> None:
        corpus = Corpus(
            provisions=tuple(one for one in records if isinstance(one, ProvisionRecord)),
            empty=tuple(one for one in records if isinstance(one, EmptyRecord)),
            criteria=tuple(one for one in records if isinstance(one, CriterionRecord)),
        )
        monkeypatch.setattr(training_pairs, "packaged_records", lambda: with_chunks(corpus))
        monkeypatch.setattr(training_pairs, "load_situations", lambda: situations)

    give()
    return give


def said(chunks: list) -> dict[str, list[str]]:
    """Return the questions of each document, by its heading (the line after law and breadcrumb)."""
    learnt = training_pairs_of(chunks)
    found: dict[str, list[str]] = {text: [] for text in learnt.documents}
    for question, row in learnt.questions:
        found[learnt.documents[row]].append(question)
    return {next(line for line in text.splitlines() if ". " in line): asked for text, asked in found.items()}


def test_a_provision_is_one_document_and_its_title_asks_for_it(given: Give) -> None:
    chunks = [
        make_chunk(1, "Artículo 38", title="Vacaciones", text="Treinta días.", summary="Un mes."),
        make_chunk(2, "Artículo 40", title="", text="Sin título."),
    ]
    learnt = training_pairs_of(iter(chunks))
    assert learnt.documents == [
        "Estatuto de los Trabajadores\nTÍTULO I\n" + 3 * "Artículo 38. Vacaciones\n" + "Treinta días.",
        "Estatuto de los Trabajadores\nTÍTULO I\n" + 3 * "Artículo 40. \n" + "Sin título.",
    ]
    # An empty title asks for nothing.
    assert learnt.questions == [("Vacaciones", 0)]


def test_parts_are_joined_in_order_under_one_title(given: Give) -> None:
    shared = {"title": "Vacaciones", "parts": 3}
    parts = [make_chunk(n, "Artículo 38", part=n, text=f"Apartado {n}.", **shared) for n in (1, 2, 3)]
    other = make_chunk(9, "Artículo 38", law_id=AGENCY, law_name="Ley de ETT", title="Otra", text="De otra ley.")
    learnt = training_pairs_of([parts[0], other, *parts[1:]])
    assert [text.splitlines()[-3:] for text in learnt.documents] == [
        ["Apartado 1.", "Apartado 2.", "Apartado 3."],
        ["Artículo 38. Otra", "Artículo 38. Otra", "De otra ley."],
    ]
    assert learnt.questions == [("Vacaciones", 0), ("Otra", 1)]


def test_wordings_that_have_ended_teach_nothing(given: Give) -> None:
    old = make_chunk(1, "Artículo 38", title="Antiguo", text="Veinte días.", valid_to="2020-01-01")
    gone = make_chunk(2, "Artículo 39", title="Suprimido", text="Nada.", valid_to="2020-01-01")
    new = make_chunk(3, "Artículo 38", title="Vacaciones", text="Treinta días.", valid_from="2020-01-01")
    learnt = training_pairs_of([old, gone, new])
    assert [text.splitlines()[-1] for text in learnt.documents] == ["Treinta días."]
    assert learnt.questions == [("Vacaciones", 0)]


def test_official_text_is_asked_for_in_all_the_words_of_its_record(given: Give) -> None:
    given(record("Artículo 38", questions=("¿Cuántos días tengo?", "¿Y en agosto?")))
    official = make_chunk(1, "Artículo 38", title="Vacaciones", text="Treinta días.")
    assert said([official]) == {
        "Artículo 38. Vacaciones": [
            "Vacaciones",
            "¿Cuántos días tengo?",
            "¿Y en agosto?",
            "Resumen del artículo 38.",
            "1. Una regla.",
            "2. Otra regla.",
        ]
    }


def test_the_rules_of_a_record_are_no_questions_to_itself(given: Give) -> None:
    mine = record("Artículo 38", questions=("¿Cuántos días tengo?",))
    given(mine)
    [(_, own)] = with_chunks(Corpus((mine,)))
    assert own["source"] == "plain_language"
    assert said([own]) == {
        "Artículo 38. Título llano del artículo 38": [
            "Título llano del artículo 38",
            "¿Cuántos días tengo?",
            "Resumen del artículo 38.",
        ]
    }


def test_records_of_provisions_that_are_not_held_are_documents_of_their_own(given: Give) -> None:
    criterion = CriterionRecord(
        id="criterio-1",
        number="Criterio 1",
        title="Cómputo de plazos",
        body="INSS",
        date="2020-01-01",
        doctrine="Los plazos son naturales.",
        status_note="",
        url="",
        questions=("¿Cómo se cuentan?",),
        keywords=(),
        topics=("tema",),
        refs=(),
    )
    given(record("Artículo 6", questions=("¿Qué edad?",), law_id=AGENCY), criterion)
    held = make_chunk(1, "Artículo 38", title="Vacaciones", text="Treinta días.")
    assert said([held]) == {
        "Artículo 38. Vacaciones": ["Vacaciones"],
        "Artículo 6. Título llano del artículo 6": [
            "Título llano del artículo 6",
            "¿Qué edad?",
            "Resumen del artículo 6.",
        ],
        "Criterio 1. Cómputo de plazos": ["Cómputo de plazos", "¿Cómo se cuentan?", "Los plazos son naturales."],
    }
    # The text of a record's document is its rules.
    assert training_pairs_of([held]).documents[1].splitlines()[-2:] == ["1. Una regla.", "2. Otra regla."]


def test_a_record_of_an_ended_wording_stands_for_the_provision(given: Give) -> None:
    given(record("Artículo 38"))
    ended = make_chunk(1, "Artículo 38", title="Antiguo", text="Veinte días.", valid_to="2020-01-01")
    assert list(said([ended])) == ["Artículo 38. Título llano del artículo 38"]


def test_situations_are_shown_three_times_to_each_provision_that_answers(given: Give) -> None:
    asked = Situation(
        question="¿Me pagan las vacaciones al irme?",
        provisions=(f"{ET}#Artículo 38", f"{ET}#Artículo 49", f"{ET}#Artículo 999"),
    )
    given(record("Artículo 49"), situations=(asked,))
    held = make_chunk(1, "Artículo 38", title="Vacaciones", text="Treinta días.")
    found = said([held])
    assert found["Artículo 38. Vacaciones"] == ["Vacaciones", *[asked.question] * 3]
    # With a record, too, that no text is held of; a provision that nothing is known of is left out.
    assert found["Artículo 49. Título llano del artículo 49"][-3:] == [asked.question] * 3
    assert len(found) == 2


def test_a_situation_that_is_held_back_teaches_nothing(given: Give) -> None:
    taught = Situation(question="¿Me pagan las vacaciones al irme?", provisions=(f"{ET}#Artículo 38",))
    held = Situation(question="¿Y si caigo enfermo en vacaciones?", provisions=(f"{ET}#Artículo 38",))
    held_back = next(
        one
        for number in range(100)
        if is_held_back(one := held.model_copy(update={"question": f"{held.question} {number}"}))
    )
    assert not is_held_back(taught)
    given(situations=(held_back, taught))
    asked = said([make_chunk(1, "Artículo 38", title="Vacaciones", text="Treinta días.")])
    assert asked == {"Artículo 38. Vacaciones": ["Vacaciones", *[taught.question] * 3]}


def test_every_situation_is_a_precedent_by_its_vector_and_the_order_of_its_provisions(given: Give) -> None:
    situations = (
        Situation(question="¿y la playa?", provisions=(f"{ET}#Artículo 38", f"{ET}#Artículo 49")),
        Situation(question="¿y la calle?", provisions=(f"{ET}#Artículo 49",)),
    )
    given(situations=situations)
    texts = ["vacaciones anuales", "vacaciones del trabajador", "despido del trabajador", "despido improcedente"]
    asked = [("playa en agosto", 0), ("agosto y playa", 1), ("a la calle", 2), ("en la calle sin más", 3)]
    encoder = DualEncoder.fit(TrainingPairs(texts, asked), 2)
    precedents = precedents_of(encoder)
    beach, street = (encoder.embed_question(one.question) for one in situations)
    assert precedents.similarities(beach).tolist() == pytest.approx([1.0, float(beach @ street)], abs=1e-5)
    likeness = max(0.0, float(beach @ street))
    assert precedents.support(beach) == pytest.approx(
        {(ET, "art:38"): 1.0, (ET, "art:49"): max(0.8, likeness)}, abs=1e-5
    )


def test_nothing_at_all(given: Give) -> None:
    learnt = training_pairs_of([])
    assert (list(learnt.documents), list(learnt.questions)) == ([], [])


def test_the_packaged_records_and_situations_teach_without_an_index() -> None:
    learnt = training_pairs_of([])
    assert all(0 <= row < len(learnt.documents) for _, row in learnt.questions)
    times = Counter(text for text, _ in learnt.questions)
    situations = load_situations()
    taught = [one for one in situations if not is_held_back(one)]
    known = [one for one in taught if one.question in times]
    assert len(known) > 0.9 * len(taught)
    assert all(times[one.question] >= 3 for one in known)
    # The question of a record may be said in the same words; a situation is shown three times.
    assert [one.question for one in situations if is_held_back(one) and times[one.question] >= 3] == []
    assert not {"", " "} & times.keys()
