"""The packaged records beside official text: attached where the wording is theirs, told where it is not."""

import json
from datetime import date

import pytest
from support.chunks import make_chunk
from support.small_laws import write_law

from articulado.ingestion.indexing import parents as attaching
from articulado.ingestion.indexing.parents import Attached, attach_records
from articulado.ingestion.links.provision_index import ProvisionIndex
from articulado.ingestion.model import Law, Provision
from articulado.legal.wordings import wording_hash
from articulado.store.records.schema import Corpus, EmptyRecord, ProvisionRecord
from tools import record_state as state
from tools.train_encoder import question_pairs

ET, TODAY = "BOE-A-2015-11430", date(2026, 11, 1)
TEXT = "1. Las vacaciones serán de treinta días.\n\n2. El período se fijará de común acuerdo."


def record(label: str, text: str, **fields) -> ProvisionRecord:
    return ProvisionRecord(
        law_id=ET,
        provision=label,
        title="Título",
        summary="Un mes de descanso.",
        points=("1. Un mes.",),
        questions=(),
        keywords=(),
        topics=("vacaciones", "otro"),
        refs=(),
        written_against={"content_hash": wording_hash(text), "date": "2015-11-13"},
        **fields,
    )


def empty(label: str, text: str, reason: str, *replaced_by: str) -> EmptyRecord:
    return EmptyRecord(
        law_id=ET,
        provision=label,
        title="",
        reason=reason,
        note="Lo regula ahora el artículo 38.",
        replaced_by=replaced_by,
        written_against={"content_hash": wording_hash(text), "date": "2015-11-13"},
    )


def attach(chunks, today: date, others=()) -> Attached:
    return attach_records(chunks, today, ProvisionIndex.of([*chunks, *others]))


def part(number: int, key: str, text: str, **fields):
    return make_chunk(number, law_id=ET, provision_key=key, text=text, **fields)


@pytest.fixture
def given(monkeypatch):
    """Set the packaged records by provision key."""

    def give(**records):
        places = {(ET, key.replace("_", ":")): one for key, one in records.items()}
        monkeypatch.setattr(attaching, "packaged_law_records", lambda: places)

    return give


@pytest.mark.parametrize(
    "same",
    [
        "1. LAS VACACIONES serán de treinta días 2. El período se fijará de común acuerdo",
        "1.  Las vacaciones\u00a0seran de treinta días.\n2. «El período» se fijará de común acuerdo.",
    ],
)
def test_layout_case_and_punctuation_keep_the_wording_hash(same):
    assert wording_hash(same) == wording_hash(TEXT)
    assert len(wording_hash(TEXT)) == 16


def test_joined_figures_change_the_wording_hash():
    assert wording_hash("1 2") != wording_hash("12")


def test_changed_word_or_figure_changes_the_wording_hash():
    assert len({wording_hash(text) for text in (TEXT, TEXT + " No.", TEXT.replace("treinta", "31"), "")}) == 4


def test_every_part_of_the_wording_gets_summary_and_topic(given):
    given(art_38=record("Artículo 38", TEXT))
    first, second = TEXT.split("\n\n")
    parts = [part(1, "art:38", first, parts=2), part(2, "art:38", second, part=2, parts=2), part(3, "art:39", "Otra.")]
    found = attach(parts, TODAY)
    assert [(one["summary"], one["topic"]) for one in found.chunks] == [
        ("Un mes de descanso.", "vacaciones"),
        ("Un mes de descanso.", "vacaciones"),
        ("", ""),
    ]
    assert [{**one, "summary": "", "topic": ""} for one in found.chunks] == parts
    assert (found.summaries, found.stale) == (1, [])


def test_a_head_of_a_table_that_parts_repeat_is_in_their_wording_once(given):
    table = "La cuantía es:\n\nPuesto | Salario\nGuarda | 1.100,00\nPastor | 1.200,00"
    given(art_38=record("art:38", table))
    first, last = table[: table.index("Pastor")].strip(), "Puesto | Salario\nPastor | 1.200,00"
    attached = attach([part(1, "art:38", first), part(2, "art:38", last, part=2)], TODAY)
    assert [chunk["summary"] for chunk in attached.chunks] == ["Un mes de descanso."] * 2
    assert attached.stale == []


def test_what_a_later_law_says_otherwise_is_noted_beside_what_the_source_says(given):
    given(art_38=record("Artículo 38", TEXT, status_note="Superado: hoy son cuarenta."))
    known = {"last_day": "exact", "ended_by": []}
    parts = [part(1, "art:38", TEXT, status_note="Se modifica por la Ley 1/2020.", wording=known)]
    (found,) = attach(parts, TODAY).chunks
    assert found["status_note"] == f"Superado: hoy son cuarenta {attaching.OURS} Se modifica por la Ley 1/2020."
    assert found["wording"] == known


def test_a_record_of_another_wording_is_stale_and_not_shown(given):
    old = record("Artículo 38", TEXT)
    given(art_38=old, art_99=record("Artículo 99", "No está."))
    parts = [part(1, "art:38", TEXT.replace("treinta", "treinta y un"))]
    found = attach(parts, TODAY)
    assert (found.chunks, found.summaries, found.stale) == (parts, 0, [old])


def test_a_wording_of_the_past_keeps_the_summary_that_the_one_in_force_lost(given):
    given(art_38=record("Artículo 38", TEXT))
    parts = [
        part(1, "art:38", TEXT, valid_from="2015-11-13", valid_to="2026-01-01"),
        part(2, "art:38", "Treinta y un días.", valid_from="2026-01-01"),
    ]
    found = attach(parts, TODAY)
    assert [one["summary"] for one in found.chunks] == ["Un mes de descanso.", ""]
    assert (found.summaries, len(found.stale)) == (1, 1)
    # On the last day before, the record was right.
    assert attach(parts, date(2025, 12, 31)).stale == []


def test_record_of_a_provision_repealed_since_is_stale(given):
    given(art_38=record("Artículo 38", TEXT))
    found = attach([part(1, "art:38", "(Derogado)", status="derogada")], TODAY)
    assert (found.summaries, len(found.stale)) == (0, 1)


def test_a_repealed_provision_says_what_replaced_it_and_leads_there(given):
    given(art_9=empty("Artículo 9", "(Derogado)", "derogada", f"{ET}#Artículo 38", f"{ET}#Artículo 77"))
    parts = [
        part(1, "art:9", "(Derogado)", status="derogada", status_note="Se deroga por la Ley 1/2020.", refs=[3]),
        part(2, "art:38", TEXT),
        part(3, "art:39", "Otra."),
    ]
    found = attach(parts, TODAY)
    ours = f"Precepto derogado. Lo regula ahora el artículo 38 {attaching.OURS}"
    assert found.chunks[0]["status_note"] == f"{ours} Se deroga por la Ley 1/2020."
    assert found.chunks[0]["refs"] == [3, 2]
    assert (found.chunks[1:], found.summaries, found.stale) == (parts[1:], 0, [])


def test_what_replaced_a_provision_may_be_a_record_of_another_law(given):
    given(art_9=empty("Artículo 9", "(Derogado)", "derogada", "BOE-A-2015-11724#Artículo 1"))
    beside = make_chunk(7, law_id="BOE-A-2015-11724", provision_key="art:1")
    (chunk,) = attach([part(1, "art:9", "(Derogado)")], TODAY, [beside]).chunks
    assert chunk["refs"] == [7]


def test_a_provision_in_force_without_rules_gets_references_and_no_note(given):
    given(df_1=empty("Disposición final primera", "Se modifica la ley.", "modifica_otra_norma", f"{ET}#Artículo 38"))
    parts = [part(1, "df:1", "Se modifica la ley."), part(2, "art:38", TEXT)]
    found = attach(parts, TODAY)
    assert (found.chunks[0]["status_note"], found.chunks[0]["refs"]) == ("", [2])


def test_empty_provision_of_the_past_is_noted_as_no_law(given):
    given(dt_6=empty("Disposición transitoria sexta", "Durante 2012.", "agotada"))
    (chunk,) = attach([part(1, "dt:6", "Durante 2012.")], TODAY).chunks
    assert chunk["status_note"].startswith("Precepto de vigencia agotada. Lo regula ahora")


@pytest.mark.parametrize("before", [[], [part(2, "art:9", "(Derogado)", status="derogada", valid_to="2026-01-01")]])
def test_empty_record_of_a_provision_with_rules_is_stale(given, before):
    given(art_9=empty("Artículo 9", "(Derogado)", "derogada"))
    found = attach([*before, part(1, "art:9", "Vuelve a decir algo.", valid_from="2026-01-01")], TODAY)
    assert (found.chunks[-1]["status_note"], len(found.stale)) == ("", 1)


def law(*texts: tuple[str, str, str]) -> Law:
    provisions = [
        Provision(label=label, key=key, title="", breadcrumb="", paragraphs=(text,)) for label, key, text in texts
    ]
    return Law(ET, "Ley", "ley", "2015-10-24", "in_force", None, "", tuple(provisions))


LAW = law(
    ("Artículo único", "art:unico~decreto", "Se aprueba."),
    ("Artículo 1", "art:1", "Uno."),
    ("Artículo 2", "art:2", "Dos."),
    ("Artículo 3", "art:3", "Tres."),
)


def test_new_records_are_stamped_and_others_keep_their_stamp():
    kept = {"content_hash": "0" * 16, "date": "2000-01-01"}
    lines = state.stamped(LAW, [{"provision": "Artículo 1"}, {"provision": "Artículo 2", "written_against": kept}])
    assert lines == [
        {"provision": "Artículo 1", "written_against": {"content_hash": wording_hash("Uno."), "date": "2015-10-24"}},
        {"provision": "Artículo 2", "written_against": kept},
    ]


def test_the_state_of_a_law_names_what_is_stale_unstamped_and_missing():
    stale = {"provision": "Artículo 2", "written_against": {"content_hash": "0" * 16, "date": "2015-10-24"}}
    found = state.state_of(LAW, [{"provision": "Artículo 1"}, stale], [{"provision": "Artículo 9"}])
    assert found == state.LawState(
        written=2,
        empty=1,
        stale=("Artículo 2", "Artículo 9"),
        unstamped=("Artículo 1", "Artículo 9"),
        missing=("Artículo 3",),
    )


def test_a_day_that_another_source_gives_makes_no_record_stale():
    stamp = {"content_hash": wording_hash("Uno."), "date": "1999-09-09"}
    assert state.state_of(LAW, [{"provision": "Artículo 1", "written_against": stamp}], []).stale == ()


def test_records_are_written_as_they_were_read(tmp_path):
    file = tmp_path / "law.jsonl"
    lines = [{"provision": "Artículo 1", "title": "«Año»"}]
    assert state.read_lines(file) == []
    state.write_lines(file, lines)
    assert state.read_lines(file) == lines
    assert file.read_text(encoding="utf-8") == json.dumps(lines[0], ensure_ascii=False) + "\n"


def test_a_question_of_several_records_is_one_pair():
    first = record("Artículo 38", TEXT).model_copy(update={"questions": ("¿Vacaciones?", "un mes")})
    second = record("Artículo 39", TEXT).model_copy(update={"questions": ("¿vacaciones?",)})
    assert list(question_pairs(Corpus((first, second)))) == [
        {
            "id": "lenguaje-claro-1",
            "question": "¿Vacaciones?",
            "relevant": {f"{ET}#Artículo 38": 2, f"{ET}#Artículo 39": 2},
        },
        {"id": "lenguaje-claro-2", "question": "un mes", "relevant": {f"{ET}#Artículo 38": 2}},
    ]


def test_the_command_tells_the_state_and_stamps_what_has_no_stamp(tmp_path, monkeypatch, capsys):
    write_law(tmp_path / "laws" / f"{ET}.md", ET, "Uno.", "Dos.")
    for room in state.FOLDERS:
        (tmp_path / "corpus" / room).mkdir(parents=True)
    state.write_lines(tmp_path / "corpus" / "normativa" / f"{ET}.jsonl", [{"provision": "Artículo 1"}])
    monkeypatch.setattr(state.resources, "files", lambda room: tmp_path / room)
    monkeypatch.setattr("sys.argv", ["state", str(tmp_path / "laws")])
    state.main()
    assert capsys.readouterr().out.splitlines() == [
        f"{ET}: 1 written, 0 empty, 1 missing",
        "  unstamped: Artículo 1",
        "  missing: Artículo 2",
    ]
    monkeypatch.setattr("sys.argv", ["state", str(tmp_path / "laws"), ET, "--stamp"])
    state.main()
    assert "unstamped" not in capsys.readouterr().out
    (line,) = state.read_lines(tmp_path / "corpus" / "normativa" / f"{ET}.jsonl")
    assert line["written_against"] == {"content_hash": wording_hash("Uno."), "date": "2000-01-02"}
