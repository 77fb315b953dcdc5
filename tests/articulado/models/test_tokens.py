"""Counting: never below the true count. Where the tables are not on the machine, 437 texts counted beforehand serve."""

import hashlib
import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
import regex
import tiktoken
import tiktoken_ext.openai_public as published
from hypothesis import given
from hypothesis import strategies as st
from support.paths import DATA

from articulado.models.tokens import (
    _PATTERNS,
    ENCODINGS,
    LEADS,
    ByteCounter,
    EstimatedCounter,
    TiktokenCounter,
    max_parts,
    token_bound,
    token_counter,
    token_list,
)

O200K_FILE = hashlib.sha1(b"https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken").hexdigest()
COUNTED = [json.loads(line) for line in (DATA / "token_counts.jsonl").read_text("utf-8").splitlines()]
MODELS = {"cl100k_base": "gpt-4", "o200k_base": "gpt-4o"}

WORDS = [
    "el",
    "El",
    "empresa",
    "vacaciones",
    "retribuídas",
    "don't",
    "the",
    "worker's",
    "SOFTWARE",
    "aBc",
    "ñu",
    "2024",
]
GLUE = [
    " ",
    "  ",
    "\n",
    "\n\n",
    " \n ",
    ", ",
    ". ",
    '"',
    '":"',
    '{"',
    "'",
    "_",
    "/",
    "\t",
    "\u0301",
    "\u088f",
    "😀",
    "1",
]
glued = st.lists(st.sampled_from(WORDS + GLUE) | st.text(max_size=4), max_size=30).map("".join)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_no_text_counted_beforehand_has_more_tokens_than_estimated(encoding):
    single, both = EstimatedCounter(encoding), EstimatedCounter()
    for row in COUNTED:
        text = row["text"]
        estimates = single.count(text), both.count(text)
        assert row[encoding] <= estimates[0] <= estimates[1] <= len(text.encode()), text


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(
    ("beginning", "factor"),
    [("El trabajador tendrá", 1.35), ("The quick brown", 1.35), ('{"provision"', 1.6), ('{"order_id"', 1.6)],
)
def test_the_estimate_is_close_on_prose_and_json(encoding, beginning, factor):
    row = max((row for row in COUNTED if row["text"].startswith(beginning)), key=lambda row: len(row["text"]))
    assert EstimatedCounter(encoding).count(row["text"]) <= factor * row[encoding]


@pytest.mark.parametrize(
    ("text", "published"),
    [
        # OpenAI's announcement of GPT-4o: 29 tokens with cl100k_base, 26 with o200k_base.
        ("Hola, mi nombre es GPT-4o. Soy un nuevo tipo de modelo de lenguaje, es un placer conocerte.", 29),
        # Published comparison of tokenizers: 17 tokens for GPT-4, 18 for Llama 3.
        ("El aprendizaje automatico permite a las maquinas aprender de los datos.", 17),
    ],
)
def test_estimate_is_above_published_counts_but_not_far(text, published):
    assert published <= EstimatedCounter("cl100k_base").count(text) <= 1.2 * published


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=glued)
def test_the_true_count_is_never_above_the_estimate(encoding, text):
    true = token_counter(MODELS[encoding])
    if not isinstance(true, TiktokenCounter):
        pytest.skip(f"tiktoken's table of {encoding} is not on this machine")
    assert true.count(text) <= EstimatedCounter(encoding).count(text)


@given(st.text() | glued)
def test_the_estimate_lies_between_pieces_and_bytes(text):
    estimate = EstimatedCounter().count(text)
    assert len(re.findall(r"\S+", text)) <= estimate <= len(text.encode("utf-8", "replace"))


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_halves_of_characters_count_as_tiktoken_encodes_them(encoding):
    counter = EstimatedCounter(encoding)
    assert counter.count("\ud83d") == counter.count("\ufffd")
    assert counter.count("\ud83d\ude00") == counter.count("😀")
    assert ByteCounter().count("\ud83da") == 4


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_what_versions_of_unicode_cut_apart_costs_its_bytes_and_its_neighbours_too(encoding):
    counter = EstimatedCounter(encoding)
    around = counter.count("la empresa"), counter.count(" el trabajador")
    assert counter.count("la empresa fin.\n\u088fruta\n el trabajador") == sum(around) + len(
        " fin.\n\u088fruta\n".encode()
    )
    assert counter.count("\u088f\n    ") == 8


def test_a_capital_that_is_not_that_of_its_small_letter_is_not_the_listed_word():
    kelvin = "\u212aey"  # the sign of kelvin, whose small letter is k
    assert token_list("o200k_base").count("Key") == 1
    assert token_list("o200k_base").count(kelvin) is None


def test_a_long_run_without_spaces_is_bounded_in_no_time():
    assert EstimatedCounter().count("zq" * 500_000) <= 1_000_000


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=st.text() | glued)
def test_texts_are_cut_as_tiktoken_cuts_them(encoding, text):
    with pytest.MonkeyPatch.context() as patch:  # the pattern comes with the table, which is not on this machine
        patch.setattr(published, "load_tiktoken_bpe", lambda *_, **__: {})
        pattern = published.ENCODING_CONSTRUCTORS[encoding]()["pat_str"]
    # In Rust, $ is the end of the text alone.
    assert regex.findall(_PATTERNS[encoding], text) == regex.findall(pattern.replace("$", r"\Z"), text)


def merged(piece: str, ranks: dict[str, int]) -> list[str]:
    """Byte pair encoding as its paper has it: the neighbours of the lowest rank first, the first of them first."""
    parts = list(piece)
    while True:
        pairs = [(ranks[left + right], at) for at, (left, right) in enumerate(pairwise(parts)) if left + right in ranks]
        if not pairs:
            return parts
        at = min(pairs)[1]
        parts[at : at + 2] = [parts[at] + parts[at + 1]]


def divisions(piece: str) -> Iterator[list[str]]:
    yield [piece]
    for at in range(1, len(piece)):
        yield from ([piece[:at], *rest] for rest in divisions(piece[at:]))


tokens = st.lists(st.text("abc", min_size=2, max_size=6), unique=True, max_size=40)


@given(st.text("abc", min_size=1, max_size=24), tokens, st.data())
def test_merging_never_leaves_more_than_the_most_parts(piece, learnt, data):
    listed = data.draw(st.sets(st.sampled_from(learnt))) if learnt else set()
    short = frozenset(token for token in listed if len(token) <= 4)
    assert len(merged(piece, {token: rank for rank, token in enumerate(learnt)})) <= max_parts(piece, short)


@given(st.text("abc", min_size=1, max_size=9), tokens)
def test_the_most_parts_are_those_of_the_best_division(piece, learnt):
    short = frozenset(token for token in learnt if len(token) <= 4)
    allowed = (parts for parts in divisions(piece) if not any(left + right in short for left, right in pairwise(parts)))
    assert max_parts(piece, short) == max(map(len, allowed))


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_list_is_whole(encoding):
    listed = token_list(encoding)
    assert len(listed.words) > 30_000
    assert len(listed.short) > 15_000
    assert all(len(counts) == 12 and "0" not in counts for counts in set(listed.words.values()))
    assert all(2 <= len(part) <= 4 for part in listed.short)
    # As in OpenAI's announcement: all single tokens of common English.
    assert [listed.count(piece) for piece in ("the", " the", "The", " The", "7", "123", "\n\n")] == [1] * 7
    assert listed.count("(nombre") >= 2
    assert "(" in LEADS
    assert listed.count("zqxj") is None
    assert listed.count("1234") is None


def test_tiktoken_counts_with_its_table():
    # Single bytes and one merge: "de" is one token, "del" two.
    ranks = {bytes([i]): i for i in range(256)} | {b"de": 256}
    encoding = tiktoken.Encoding("tiny", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens={"<|end|>": 257})
    counter = TiktokenCounter(encoding)
    assert counter.count("del de") == 4
    assert counter.count("<|end|>") == 7


@pytest.fixture(autouse=True)
def forget_counters():
    yield
    token_counter.cache_clear()


TEXT = "¿Qué otorrinolaringólogo? \U00010384"


@pytest.mark.parametrize(
    ("model", "same"),
    [
        ("gpt-5.2", EstimatedCounter("o200k_base")),
        ("gpt-oss-120b", EstimatedCounter("o200k_base")),
        ("text-embedding-3-small", EstimatedCounter("cl100k_base")),
        ("qwen3:8b", EstimatedCounter()),
        ("text-davinci-003", ByteCounter()),
    ],
)
def test_without_tables_a_bound_serves(tmp_path, monkeypatch, model, same):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    counter = token_counter(model)
    assert type(counter) is type(same)
    assert counter.count(TEXT) == same.count(TEXT)
    assert list(tmp_path.iterdir()) == []


def test_the_bounds_of_the_encodings_differ():
    cl100k, o200k = (EstimatedCounter(name).count(TEXT) for name in ENCODINGS)
    assert cl100k != o200k
    assert EstimatedCounter().count(TEXT) == max(cl100k, o200k) < ByteCounter().count(TEXT)


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


@given(st.text(st.sampled_from(" \n\t\r/.,'s1aéÑ«»\u00a0"), max_size=14))
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_word_by_word_a_text_has_the_pieces_that_it_has_as_a_whole(encoding, text):
    bound = token_bound(encoding)
    assert bound.count(text) == bound.count_pieces(text)
