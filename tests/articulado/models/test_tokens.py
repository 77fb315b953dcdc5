"""Count tokens exactly with tiktoken's tables, else by an estimate that is compared with texts counted beforehand."""

import hashlib
import json
from pathlib import Path

import pytest
import tiktoken
from support.paths import DATA

from articulado.models.tokens import EstimatedCounter, TiktokenCounter, token_counter

O200K_FILE = hashlib.sha1(b"https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken").hexdigest()
COUNTED = [json.loads(line) for line in (DATA / "token_counts.jsonl").read_text("utf-8").splitlines()]


@pytest.fixture(autouse=True)
def forget_counters():
    yield
    token_counter.cache_clear()


@pytest.mark.parametrize("beginning", ["El trabajador tendrá", "The quick brown", '{"provision"', '{"order_id"'])
def test_the_estimate_is_above_the_true_count_of_prose_and_json(beginning):
    row = max((row for row in COUNTED if row["text"].startswith(beginning)), key=lambda row: len(row["text"]))
    assert row["o200k_base"] <= EstimatedCounter().count(row["text"]) <= 1.8 * row["o200k_base"]


def test_the_estimate_is_near_a_published_count():
    # OpenAI's announcement of GPT-4o: 26 tokens with o200k_base.
    text = "Hola, mi nombre es GPT-4o. Soy un nuevo tipo de modelo de lenguaje, es un placer conocerte."
    assert 26 <= EstimatedCounter().count(text) <= 31


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("vacaciones", 2),
        ("Vacación", 2),
        ("ESTATUTO", 3),
        ("12345", 2),
        ("el  día", 3),
        ("a\n\nb", 3),
        ("¿sí?", 3),
        ("--------", 2),
        ("“30 €”", 4),
        ("отпуск", 12),
        ("休假", 6),
        ("\ud83d", 1),
    ],
)
def test_the_estimate_counts_letters_digits_marks_and_bytes(text, tokens):
    assert EstimatedCounter().count(text) == tokens


def test_tiktoken_counts_with_its_table():
    # Single bytes and one merge: "de" is one token, "del" two.
    ranks = {bytes([i]): i for i in range(256)} | {b"de": 256}
    encoding = tiktoken.Encoding("tiny", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens={"<|end|>": 257})
    counter = TiktokenCounter(encoding)
    assert counter.count("del de") == 4
    assert counter.count("<|end|>") == 7


@pytest.mark.parametrize("model", ["", "gpt-5.2", "gpt-oss-120b", "qwen3:8b", "text-davinci-003"])
def test_without_tables_the_estimate_serves_and_nothing_is_downloaded(tmp_path, monkeypatch, model):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    assert isinstance(token_counter(model), EstimatedCounter)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_table_is_neither_used_nor_touched(tmp_path, monkeypatch):
    table = Path(tmp_path, O200K_FILE)
    table.write_bytes(b"damaged")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    assert isinstance(token_counter("gpt-5.2"), EstimatedCounter)
    assert table.read_bytes() == b"damaged"


def test_a_switched_off_cache_means_the_estimate(monkeypatch):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    assert isinstance(token_counter("gpt-5.2"), EstimatedCounter)


def test_with_its_table_on_the_machine_tiktoken_counts():
    counter = token_counter("gpt-5.2")
    if not isinstance(counter, TiktokenCounter):
        pytest.skip("tiktoken's table of o200k_base is not on this machine")
    assert [counter.count(row["text"]) for row in COUNTED] == [row["o200k_base"] for row in COUNTED]
