import hashlib
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from services.tokens import EstimatedCounter, TiktokenCounter, token_counter

O200K_FILE = hashlib.sha1(b"https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken").hexdigest()


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("ley", 1),
        ("empresa", 2),  # 7 letters
        ("año", 1),  # 4 bytes
        ("resolución", 3),  # 11 bytes
        ("TRLGSS", 3),
        ("1995", 2),  # 3 digits and 1
        ("1.234,56", 5),
        ("«a»", 5),  # two bytes a quotation mark
        ("a b", 2),  # one space goes with the word
        ("a    b", 3),
        ("a\n\nb", 3),
        ("___", 3),
    ],
)
def test_estimate_charges_each_piece(text, tokens):
    assert EstimatedCounter().count(text) == tokens


@pytest.mark.parametrize(
    ("text", "published"),
    [
        # OpenAI's announcement of GPT-4o: 29 tokens with cl100k_base, 26 with o200k_base.
        ("Hola, mi nombre es GPT-4o. Soy un nuevo tipo de modelo de lenguaje, es un placer conocerte.", 29),
        # Published comparison of tokenizers: 17 tokens for GPT-4, 18 for Llama 3.
        ("El aprendizaje automatico permite a las maquinas aprender de los datos.", 18),
    ],
)
def test_estimate_is_above_published_counts_but_not_far(text, published):
    assert published <= EstimatedCounter().count(text) <= 1.3 * published


@given(st.text(), st.text())
def test_estimate_never_shrinks_as_text_grows(first, second):
    counter = EstimatedCounter()
    assert 0 <= counter.count(first) <= counter.count(f"{first}\n{second}")


@given(st.text(min_size=1))
def test_estimate_of_any_text_is_at_most_one_token_a_byte(text):
    assert EstimatedCounter().count(text) <= len(text.encode("utf-8", "replace"))


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


def test_without_tables_the_estimate_serves(tmp_path, monkeypatch):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    assert isinstance(token_counter("gpt-5.2"), EstimatedCounter)
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


def test_an_unknown_model_means_the_estimate():
    assert isinstance(token_counter("qwen3:8b"), EstimatedCounter)


def test_with_its_table_on_the_machine_tiktoken_counts():
    counter = token_counter("gpt-5.2")
    if not isinstance(counter, TiktokenCounter):
        pytest.skip("tiktoken's table of o200k_base is not on this machine")
    assert counter.count("Hola, mi nombre es GPT-4o.") < EstimatedCounter().count("Hola, mi nombre es GPT-4o.")
