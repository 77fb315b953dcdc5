import io
import sys
from datetime import date, timedelta

import pytest

from articulado.config.profile import load_profile
from articulado.values.errors import InvalidInput
from cli.options import a_date, read_question, run_context, whole


@pytest.mark.parametrize("written", ["2021-03-01", "1 de marzo de 2021", "1/3/2021", "01-03-2021", "March 1, 2021"])
def test_a_date_is_read_as_people_write_it(written):
    assert a_date(written) == date(2021, 3, 1)


@pytest.mark.parametrize("written", ["ayer", "yesterday"])
def test_a_date_may_be_relative_to_today(written):
    before = date.today()
    assert a_date(written) in {day - timedelta(days=1) for day in (before, date.today())}


@pytest.mark.parametrize("written", ["2021-02-30", "marzo de 2021", "1/3/21", "hoy mismo", ""])
def test_an_invalid_date_is_refused_with_the_expected_form(written):
    with pytest.raises(InvalidInput, match="AAAA-MM-DD"):
        a_date(written)


def test_whole_numbers_keep_to_their_range():
    read = whole("--limit", 1, 100)
    assert [read("1"), read("100"), read(10)] == [1, 100, 10]
    for wrong in ("0", "101", "-1", "1.5", "", "²", "9" * 5000):
        with pytest.raises(InvalidInput, match="--limit debe ser un número entre 1 y 100"):
            read(wrong)


def test_the_words_of_a_question_need_no_quotes(monkeypatch):
    assert read_question(["cuántos", "días"]) == "cuántos días"
    monkeypatch.setattr(sys, "stdin", io.StringIO("¿y de noche?\n"))
    assert read_question(["-"]) == "¿y de noche?\n"


def test_an_input_that_is_not_utf8_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("días".encode("latin-1")), encoding="utf-8"))
    with pytest.raises(InvalidInput, match="UTF-8"):
        read_question(["-"])


def test_the_run_context_holds_what_was_given_and_nothing_else():
    profile = load_profile("laboral")
    assert run_context(profile, None, None, None, None).model_dump(exclude_none=True) == {}
    context = run_context(profile, date(2020, 1, 1), "madrid", "normativa, sentencias", "none")
    assert context.as_of == date(2020, 1, 1)
    assert context.territory == "Madrid"
    assert run_context(profile, None, "comunidad de madrid", None, None).territory == "Comunidad de Madrid"
    assert run_context(profile, None, "León", None, None).territory == "León"
    assert context.collections == ["normativa", "sentencias"]
    assert context.rerank_strategy == "none"
    assert run_context(profile, None, "Villarriba", None, None).territory == "Villarriba"


def test_unknown_collections_and_strategies_are_refused_with_what_there_is():
    profile = load_profile("laboral")
    for wrong in ("normativas", "", "normativa,otra"):
        with pytest.raises(InvalidInput, match="normativa, sentencias, criterios_inss, fichas, documentos"):
            run_context(profile, None, None, wrong, None)
    with pytest.raises(InvalidInput, match="auto, none, learnt, heuristic"):
        run_context(profile, None, None, None, "mejor")
