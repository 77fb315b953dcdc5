"""What the sentences will cost, and how it is said."""

import pytest
from support.doubles import CharacterCounter, make_chunk

from articulado.config.profile import load_profile
from articulado.config.settings import ModelSettings, Settings
from articulado.ingestion.context.paid_cache import ContextCache, ContextCost, ContextPrompt, estimate, explain
from articulado.values.errors import ConfigurationError

PROMPT = ContextPrompt.of(load_profile("laboral"))
THOUGHTS = "El modelo razona antes de escribir; esos tokens se cobran también como salida y no están en la cuenta."


def reader(model: str = "gpt-4o-mini", **prices: float) -> ModelSettings:
    return ModelSettings(provider="openai", model=model, **prices)


def test_only_what_the_cache_lacks_is_counted(tmp_path):
    parent = make_chunk(1, text="El texto entero.")
    children = [(parent, make_chunk(10 + number, text=f"Pasaje {number}.")) for number in range(3)]
    twin = ({**parent, "id": 2}, {**children[2][1], "id": 20})
    with ContextCache(tmp_path / "frases.sqlite") as cache:
        cache.put(PROMPT.key(*children[0], "lector"), "Frase.")
        cost = estimate([*children, twin], cache, "lector", CharacterCounter(), PROMPT)
        assert estimate(children, cache, "otro", CharacterCounter(), PROMPT).requests == 3
    # One token a character; the two parts of a message are counted without the blank line between them.
    each = len(PROMPT.instructions) + 8 + len(PROMPT.message(*children[1])) - 2
    assert cost == ContextCost(requests=2, input_tokens=2 * each, output_tokens=120, cached=1)


@pytest.mark.parametrize(
    ("cost", "prices", "expected"),
    [
        (
            ContextCost(25_012, 14_200_000, 1_000_000, 0),
            {"input_price": 0.05, "output_price": 0.4},
            "Se pedirán 25.012 frases a gpt-4o-mini: unos 14,2 M de tokens de entrada y 1,0 M de salida "
            "(aprox. 1,11 según los precios configurados).",
        ),
        (
            ContextCost(1, 640, 60, 1_311),
            {},
            "Se pedirá 1 frase a gpt-4o-mini (otras 1.311 ya están guardadas): unos 640 tokens de entrada y 60 de "
            "salida.",
        ),
        (
            ContextCost(30, 24_000, 1_800, 0),
            {"input_price": 0.05, "output_price": 0.4},
            "Se pedirán 30 frases a gpt-4o-mini: unos 24.000 tokens de entrada y 1.800 de salida "
            "(menos de 0,01 según los precios configurados).",
        ),
        (
            ContextCost(30, 24_000, 1_800, 0),
            {"input_price": 0, "output_price": 0},
            "Se pedirán 30 frases a gpt-4o-mini: unos 24.000 tokens de entrada y 1.800 de salida "
            "(aprox. 0,00 según los precios configurados).",
        ),
        (
            ContextCost(30, 24_000, 1_800, 0),
            {"input_price": 0.05},
            "Se pedirán 30 frases a gpt-4o-mini: unos 24.000 tokens de entrada y 1.800 de salida.",
        ),
    ],
)
def test_a_cost_is_explained_in_spanish(cost, prices, expected):
    assert explain(cost, reader(**prices)) == expected


def test_reasoning_model_gets_a_warning():
    told = explain(ContextCost(2, 900, 120, 0), reader("gpt-5-nano"))
    assert told == f"Se pedirán 2 frases a gpt-5-nano: unos 900 tokens de entrada y 120 de salida. {THOUGHTS}"


def test_fully_cached_sentences_cost_nothing():
    told = explain(ContextCost(0, 0, 0, 1_311), reader("gpt-5-nano"))
    assert told == "Las frases de contexto ya están guardadas (1.311): no se pedirá ninguna."


def test_the_settings_of_an_ingest_are_read(monkeypatch):
    defaults = Settings.read(env_file=None)
    assert (defaults.chunk_context, defaults.ingest_workers) == ("breadcrumb", 2)
    assert (defaults.reader.input_price, defaults.reader.output_price) == (None, None)
    given = {"CHUNK_CONTEXT": "reader", "INGEST_WORKERS": "8", "READER_INPUT_PRICE": "0.05", "READER_OUTPUT_PRICE": "0"}
    for name, value in given.items():
        monkeypatch.setenv(f"ARTICULADO_{name}", value)
    read = Settings.read(env_file=None)
    assert (read.chunk_context, read.ingest_workers) == ("reader", 8)
    assert (read.reader.input_price, read.reader.output_price) == (0.05, 0.0)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("CHUNK_CONTEXT", "modelo", "los valores posibles son 'breadcrumb', 'reader' o 'none'"),
        ("INGEST_WORKERS", "0", "debe ser 1 o más"),
        ("READER_INPUT_PRICE", "-1", "debe ser 0 o más"),
        ("READER_OUTPUT_PRICE", "inf", "debe ser un número"),
    ],
)
def test_invalid_setting_is_reported(monkeypatch, name, value, says):
    monkeypatch.setenv(f"ARTICULADO_{name}", value)
    with pytest.raises(ConfigurationError, match=f"El valor de ARTICULADO_{name} no es válido: {says}"):
        Settings.read(env_file=None)
