"""Decisions on a turn: it needs its subject, asks about the answer, resumes an older subject, asks for a deadline."""

import json
from importlib import resources

import numpy as np
import pytest

from articulado.config.settings import Settings
from articulado.encoders.phrasings import packaged_phrasings
from articulado.encoders.sentences import sentence_encoder
from articulado.retrieval.conversation import leaning
from articulado.retrieval.conversation.leaning import DECISIONS, PLACES, SIGNS, LearntTurns, packaged_turns, places_of
from articulado.store.records.schema import FollowUp
from articulado.values.errors import ConfigurationError
from tools.train_leaning import packaged_readers

ENCODER = sentence_encoder(Settings.read(env_file=None))
JUDGES = {
    reader.variant: LearntTurns(reader, packaged_turns)
    for reader in packaged_readers(ENCODER, packaged_phrasings(ENCODER).around)
}
JUDGE = JUDGES["law_encoder"]
HOLIDAYS = "¿Cuántos días de vacaciones me corresponden al año?"
SETS = ("conversations.jsonl", "conversations_test.jsonl")


@pytest.mark.parametrize(
    "question",
    [
        "¿y si estoy de baja?",
        "¿y si soy funcionaria?",
        "cuanto me toca",
        "¿Puedo elegir yo las fechas?",
        "y el paro?",
        "necesito avisar antes?",
        "mi jefe dice que hasta agosto nada",
    ],
)
def test_follow_ups_lean(question):
    assert JUDGE.leans(question, HOLIDAYS)


@pytest.mark.parametrize(
    "question",
    [
        "¿Cuánto dura el periodo de prueba de un camarero?",
        "permiso por mudanza",
        "qué es un ERTE",
        "otra cosa, ¿con cuántos años me puedo jubilar?",
        "¿Qué indemnización corresponde por un despido improcedente?",
    ],
)
def test_questions_on_another_matter_stand_alone(question):
    assert not JUDGE.leans(question, HOLIDAYS)


@pytest.mark.parametrize(
    ("question", "is_about"),
    [
        ("explícamelo mejor", True),
        ("¿en qué artículo lo pone?", True),
        ("no lo entiendo, ponme un ejemplo", True),
        ("Can you explain that again?", True),
        ("¿y si estoy de baja?", False),
        ("cuanto me toca", False),
        ("¿Qué indemnización corresponde por un despido improcedente?", False),
    ],
)
def test_questions_about_the_answer_differ_from_follow_ups(question, is_about):
    assert JUDGE.is_about_answer(question, HOLIDAYS) is is_about


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("¿cuánto tiempo tengo para reclamar?", True),
        ("¿y hasta cuándo la puedo pedir?", True),
        ("plazo?", True),
        ("¿en cuántos días tengo que avisar?", True),
        ("how long do I have to contest it?", True),
        ("¿cuánto me toca?", False),
        ("¿y cuánto tiempo se cobra?", False),
        ("¿cuánto dura?", False),
        ("¿y si soy interina?", False),
        ("how long does it last?", False),
    ],
)
def test_deadlines_differ_from_durations(question, asks):
    assert JUDGE.asks_deadline(question, "Se me ha acabado el paro, ¿hay alguna ayuda?") is asks


def test_the_earlier_subject_that_a_turn_resumes_is_found_among_all():
    left = ["¿Cuánto preaviso hay que dar en una dimisión?", HOLIDAYS, "¿Qué cubre la pensión de orfandad?"]
    subject = "¿Me pueden despedir por llegar tarde?"
    assert JUDGE.resumed("volviendo a lo de las vacaciones, ¿caducan?", subject, left) == 1
    assert JUDGE.resumed("lo de la orfandad, ¿hasta qué edad se cobra?", subject, left) == 2
    assert JUDGE.resumed("¿y si tengo contrato temporal?", subject, left) is None
    assert JUDGE.resumed("volviendo a lo de las vacaciones, ¿caducan?", subject, []) is None


@pytest.mark.parametrize(
    ("variant", "least"), [("law_encoder", (0.93, 0.8)), ("law", (0.93, 0.8)), ("any", (0.85, 0.7))]
)
@pytest.mark.parametrize("name", SETS)
def test_most_turns_of_recorded_conversations_are_classified_right(name, variant, least):
    text = resources.files("evaluation").joinpath("datasets", name).read_text(encoding="utf-8")
    right = {True: [], False: []}
    # Every fourth conversation: ``articulado eval`` measures all of them.
    for line in text.splitlines()[::4]:
        subject = ""
        for turn in json.loads(line)["turns"]:
            stands_alone = turn["kind"] in ("first", "new_topic", "return")
            if subject and turn["kind"] not in ("courtesy", "elaborate", "which_article", "number", "return"):
                right[stands_alone].append(JUDGES[variant].leans(turn["question"], subject) is not stands_alone)
            subject = turn["question"] if stands_alone else subject
    # A turn that leans must not lose its law; the others are few in a set.
    assert np.mean(right[False]) >= least[0]
    assert np.mean(right[True]) >= least[1]


def test_most_turns_of_writers_who_did_not_see_the_training_set_are_read_right():
    text = resources.files("evaluation").joinpath("datasets", "follow_ups.jsonl").read_text(encoding="utf-8")
    turns = [FollowUp.model_validate_json(line) for line in text.splitlines()[::3]]
    leans: dict[bool, list[bool]] = {True: [], False: []}
    deadlines: dict[bool, list[bool]] = {True: [], False: []}
    for turn in turns:
        if not turn.about_answer and not turn.between:
            leans[turn.leans].append(JUDGE.leans(turn.next, turn.first) is turn.leans)
        if turn.leans:
            deadlines[turn.asks_deadline].append(JUDGE.asks_deadline(turn.next, turn.first) is turn.asks_deadline)
    assert np.mean(leans[True]) >= 0.93
    assert np.mean(leans[False]) >= 0.75
    assert np.mean(deadlines[True]) >= 0.75
    assert np.mean(deadlines[False]) >= 0.9


def test_without_the_encoder_or_the_law_there_are_fewer_signs():
    read = {variant: len(judge.reader.signs("¿y de baja?", HOLIDAYS)) for variant, judge in JUDGES.items()}
    assert read == {"law_encoder": 10, "law": 9, "any_encoder": 6, "any": 5}
    assert len(JUDGE.reader.neighbours("¿y de baja?", HOLIDAYS)) == len(SIGNS) - 10
    assert JUDGES["any_encoder"].reader.neighbours("¿y de baja?", HOLIDAYS) == ()


def test_the_words_of_a_question_are_its_words_pairs_runs_and_beginning():
    assert set(places_of("¿y el paro?")) >= set(places_of("paro")) - set(places_of("^paro"))
    assert places_of("").size == 0
    places = places_of("¿y si me voy?")
    assert list(places) == sorted(set(places))
    assert places.max() < PLACES
    assert set(places_of("me voy?")) - set(places_of("me voy")) != set()


def test_a_model_that_is_damaged_or_of_other_signs_is_told(tmp_path, monkeypatch):
    damaged = tmp_path / "leaning.npz"
    damaged.write_bytes(b"x")
    monkeypatch.setattr(leaning, "FILE", damaged)
    with pytest.raises(ConfigurationError, match="Vuelva a instalar"):
        packaged_turns.__wrapped__()
    np.savez_compressed(damaged, signs=np.array([*SIGNS, "otra"]))
    with pytest.raises(ConfigurationError, match="Vuelva a instalar"):
        packaged_turns.__wrapped__()


def test_a_saved_model_is_read_back(tmp_path, monkeypatch):
    model = packaged_turns()
    model.save(tmp_path / "leaning.npz")
    monkeypatch.setattr(leaning, "FILE", tmp_path / "leaning.npz")
    read = packaged_turns.__wrapped__()
    assert set(read.decisions) == {(variant, decision) for variant in JUDGES for decision in DECISIONS}
    values = np.ones(len(model.decisions["law", "leans"].weights))
    assert read.decisions["law", "leans"].score(values) == model.decisions["law", "leans"].score(values)
    assert read.texts.of_question("¿y de baja?") == pytest.approx(model.texts.of_question("¿y de baja?"), abs=1e-6)
