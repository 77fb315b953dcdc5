"""Follow-ups and new topics are told apart by what was learnt of both."""

import json
from importlib import resources

import numpy as np
import pytest

from articulado.retrieval.conversation import leaning
from articulado.retrieval.conversation.leaning import PLACES, SIGNS, LearntLeaning, packaged_leaning, places_of
from articulado.values.errors import ConfigurationError
from tools.train_leaning import packaged_reader

JUDGE = LearntLeaning(packaged_reader(), packaged_leaning)
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
def test_what_is_of_another_matter_does_not(question):
    assert not JUDGE.leans(question, HOLIDAYS)


@pytest.mark.parametrize("name", SETS)
def test_the_turns_of_people_are_read_right_for_the_most_part(name):
    text = resources.files("evaluation").joinpath("datasets", name).read_text(encoding="utf-8")
    right = {True: [], False: []}
    for line in text.splitlines():
        subject = ""
        for turn in json.loads(line)["turns"]:
            stands_alone = turn["kind"] in ("first", "new_topic", "return")
            if subject and turn["kind"] not in ("courtesy", "elaborate", "which_article", "number"):
                right[stands_alone].append(JUDGE.leans(turn["question"], subject) is not stands_alone)
            subject = turn["question"] if stands_alone else subject
    # Those that lean must not lose their law; of the others there are few in a set.
    assert np.mean(right[False]) >= 0.9
    assert np.mean(right[True]) >= 0.7


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
        packaged_leaning.__wrapped__()
    np.savez_compressed(damaged, signs=np.array([*SIGNS, "otra"]))
    with pytest.raises(ConfigurationError, match="Vuelva a instalar"):
        packaged_leaning.__wrapped__()


def test_what_is_written_is_read_back(tmp_path, monkeypatch):
    model = packaged_leaning()
    model.save(tmp_path / "leaning.npz")
    monkeypatch.setattr(leaning, "FILE", tmp_path / "leaning.npz")
    signs = JUDGE.reader.read("¿y de baja?", HOLIDAYS)
    assert len(signs) == len(SIGNS)
    assert packaged_leaning.__wrapped__().score("¿y de baja?", signs) == pytest.approx(
        model.score("¿y de baja?", signs), abs=1e-6
    )
