"""The situations: their loader, the rules that need no law text, and the check against the laws where those are."""

import json
import re
from collections import Counter
from functools import cache
from importlib import resources
from pathlib import Path

import pytest
from support.paths import REPOSITORY

from articulado.guides.cards import packaged_cards
from articulado.ingestion.markdown.reader import read_law
from articulado.language.folding import fold
from articulado.language.spanish import stems
from articulado.legal.labels import provision_key
from articulado.legal.laws.registry import known_laws
from articulado.legal.vocabulary.matters import matters
from articulado.store.records.schema import (
    load_corpus,
    load_follow_ups,
    load_situations,
    load_unanswerable,
    read_situations,
)
from articulado.values.errors import ConfigurationError
from evaluation.gold.questions import read_gold
from evaluation.gold.sets import read_conversations

SITUATIONS = load_situations()
LABELS = sorted({label for situation in SITUATIONS for label in (*situation.provisions, *situation.near_misses)})
FOLDER = resources.files("corpus").joinpath("situaciones")
LINES = [
    (f"{file.name}:{number}", line)
    for file in sorted(FOLDER.iterdir(), key=lambda entry: entry.name)
    if file.name.endswith(".jsonl")
    for number, line in enumerate(file.read_text(encoding="utf-8").split("\n"), start=1)
    if line
]
GOLD = REPOSITORY / "evaluation" / "datasets" / "demo.jsonl"
MAX_SHARED = 0.5
"""Of the content words of a question of our own gold set."""

SITUATION = {"question": "¿y si me voy yo?", "provisions": ["BOE-A-2015-11430#Artículo 49"]}


def place_of(label: str) -> tuple[str, str | None]:
    law_id, _, named = label.partition("#")
    return law_id, provision_key(named)


def test_there_are_enough_of_them_and_every_line_is_one():
    assert len(SITUATIONS) == len(LINES) >= 10_000


def test_lines_are_canonical_json_in_one_order():
    for where, line in LINES:
        record = json.loads(line)
        optional = ("near_misses", "voice", "writer", "cards", "cards_beside")
        keys = ["question", "provisions", *(key for key in optional if key in record)]
        assert list(record) == keys, where
        assert json.dumps(record, ensure_ascii=False) == line, where


def test_the_cards_of_a_question_are_in_the_package():
    unknown = {id for each in SITUATIONS for id in (*(each.cards or ()), *each.cards_beside)} - packaged_cards().keys()
    assert unknown == set()


def test_no_question_is_there_twice():
    counted = Counter(" ".join(re.findall(r"\w+", fold(situation.question))) for situation in SITUATIONS)
    assert [question for question, count in counted.items() if count > 1] == []


def test_labels_name_provisions_of_known_laws_in_force_each_once():
    strange = [
        label
        for label in LABELS
        for law_id, key in [place_of(label)]
        if key is None or law_id not in known_laws() or known_laws()[law_id].superseded_by or "[" in label
    ]
    assert strange == []
    for situation in SITUATIONS:
        named = (*situation.provisions, *situation.near_misses)
        assert len(set(map(place_of, named))) == len(named), situation.question


def test_every_voice_is_heard():
    heard = Counter(situation.voice for situation in SITUATIONS if situation.voice)
    assert set(heard) == {"relato", "jerga", "america", "empresa", "asesor", "examen", "breve"}
    assert min(heard.values()) >= 500


def test_questions_without_an_answer_are_of_every_kind_each_once_and_no_situation():
    unanswerable = load_unanswerable()
    assert len(unanswerable) >= 2_000
    assert min(Counter(one.kind for one in unanswerable).values()) >= 290
    assert {one.matter for one in unanswerable} == set(matters())
    asked = Counter(" ".join(re.findall(r"\w+", fold(one.question))) for one in (*unanswerable, *SITUATIONS))
    assert [question for question, count in asked.items() if count > 1] == []


def test_the_matter_of_a_question_is_of_its_kind():
    own = {"otro_pais", "no_juridica", "indeterminada"}
    for one in load_unanswerable():
        assert one.matter == one.kind if one.kind in own else one.matter not in own - {"no_juridica"}, one.question


def test_no_question_of_the_test_half_teaches_the_judgement():
    held = {fold(one.question) for one in read_gold(REPOSITORY / "evaluation" / "datasets" / "unanswerable.jsonl")}
    assert len(held) == 360
    assert [one.question for one in load_unanswerable() if fold(one.question) in held] == []


def test_follow_ups_are_of_both_kinds_each_pair_once():
    follow_ups = load_follow_ups()
    assert len({(fold(one.first), fold(one.next)) for one in follow_ups}) == len(follow_ups) == 4_468
    leaning = sum(one.leans for one in follow_ups)
    assert min(leaning, len(follow_ups) - leaning) >= 450


def test_no_turn_of_a_gold_conversation_teaches_what_follows():
    taught = {fold(one.next) for one in load_follow_ups() if len(one.next.split()) > 6}
    asked = {
        fold(turn.question)
        for name in ("conversations.jsonl", "conversations_test.jsonl")
        for conversation in read_conversations(REPOSITORY / "evaluation" / "datasets" / name).conversations
        for turn in conversation.turns
    }
    assert len(asked) > 300
    assert taught.isdisjoint(asked)


def test_no_label_is_of_a_provision_that_is_law_no_longer():
    gone = {(one.law_id, provision_key(one.provision)) for one in load_corpus().empty if one.repealed}
    assert gone
    assert [label for label in LABELS if place_of(label) in gone] == []


def test_every_label_exists_in_its_law(find_provision):
    assert [label for label in LABELS if find_provision(*label.split("#", 1)) is None] == []


def test_no_label_is_repealed_in_its_law(real_laws):
    @cache
    def repealed(law_id: str) -> set[str]:
        return {one.key for one in read_law(real_laws / f"{law_id}.md").provisions if one.status == "derogada"}

    places = [(label, *place_of(label)) for label in LABELS]
    assert [label for label, law_id, key in places if key in repealed(law_id)] == []


def shared_words(questions) -> list[tuple[str, str]]:
    """Return the gold questions of whose content words a question has more than half, with that question."""
    gold = [(one.id, set(stems(one.question))) for one in read_gold(GOLD)]
    return [
        (id_, question)
        for question in questions
        for words in [set(stems(question))]
        for id_, asked in gold
        if len(asked & words) > MAX_SHARED * len(asked)
    ]


def test_no_question_of_our_own_gold_set_is_said_in_a_situation():
    assert shared_words(situation.question for situation in SITUATIONS) == []


def test_no_question_of_our_own_gold_set_is_said_in_a_record():
    corpus = load_corpus()
    records = (*corpus.provisions, *corpus.decisions)
    assert shared_words(question for record in records for question in record.questions) == []


def test_a_question_that_is_said_again_would_be_noticed():
    first = read_gold(GOLD)[0]
    assert shared_words([first.question.upper()]) == [(first.id, first.question.upper())]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "situaciones").mkdir()

    def write(*lines: object) -> Path:
        written = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
        (tmp_path / "situaciones" / "trabajo.jsonl").write_text("\n".join(written) + "\n", encoding="utf-8")
        return tmp_path

    return write


def test_situations_are_read_in_the_order_of_files_and_lines(folder, tmp_path):
    folder(SITUATION, SITUATION | {"question": "dos"})
    (tmp_path / "situaciones" / "otras.jsonl").write_text(json.dumps(SITUATION | {"question": "cero"}))
    (tmp_path / "situaciones" / "NOTAS.txt").write_text("nada que leer")
    found = read_situations(tmp_path)
    assert [situation.question for situation in found] == ["cero", "¿y si me voy yo?", "dos"]
    assert found[1].provisions == ("BOE-A-2015-11430#Artículo 49",)


LABEL = "BOE-A-2015-11430#Artículo 49"


@pytest.mark.parametrize(
    ("line", "field"),
    [
        (SITUATION | {"question": ""}, "question"),
        (SITUATION | {"question": " sobra un espacio"}, "question"),
        ({"provisions": [LABEL]}, "question"),
        (SITUATION | {"provisions": []}, "provisions"),
        (SITUATION | {"provisions": [f"{LABEL} {n}" for n in range(7)]}, "provisions"),
        (SITUATION | {"provisions": [LABEL, "Artículo 49"]}, "provisions.1"),
        (SITUATION | {"provisions": ["ET#Artículo 49"]}, "provisions.0"),
        (SITUATION | {"relevant": {}}, "relevant"),
    ],
)
def test_a_broken_line_is_named_by_file_line_and_field(folder, line, field):
    with pytest.raises(ConfigurationError) as told:
        read_situations(folder(SITUATION, line))
    assert f"situaciones/trabajo.jsonl, línea 2, campo «{field}»" in str(told.value)
    assert "corpus/README.md" in str(told.value)


@pytest.mark.parametrize("line", ["{", "[]", '"hola"', ""])
def test_a_line_that_is_no_object_is_named(folder, line):
    with pytest.raises(ConfigurationError, match=r"situaciones/trabajo\.jsonl, línea 2"):
        read_situations(folder(SITUATION, line, SITUATION))


def test_a_folder_that_is_missing_is_named(tmp_path):
    with pytest.raises(ConfigurationError, match="le falta la carpeta situaciones"):
        read_situations(tmp_path)
