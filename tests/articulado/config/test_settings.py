"""What the user reads about a value that cannot be used."""

import pytest

from articulado.config.profile import load_profile
from articulado.config.settings import DEFAULT_MODELS, ModelSettings, Settings
from articulado.values.errors import ConfigurationError


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("STORE", "nube", "los valores posibles son 'embedded' o 'server'"),
        (
            "READER_PROVIDER",
            "otro",
            "los valores posibles son 'offline', 'fastembed', 'openai', 'azure' o 'compatible'",
        ),
        ("RERANK_STRATEGY", "otra", "'auto'"),
        ("QDRANT_PERIODS", "sentencias", "colección:años"),
        ("QDRANT_PERIODS", "sentencias:0", "colección:años"),
        ("QDRANT_PREFIX", "a/b", "letras sin acento"),
        ("PRINCIPAL_PARAMETERS", "temperature=0", "debe ser un objeto JSON"),
        ("READER_PARAMETERS", '["seed"]', "debe ser un objeto JSON"),
        ("EMBEDDER_PARAMETERS", "{", "debe ser un objeto JSON"),
        ("QDRANT_SHARDS", "dos", "debe ser un número entero"),
        ("QDRANT_SHARDS", "1.5", "debe ser un número entero"),
        ("QDRANT_SHARDS", "9" * 5000, "debe ser un número entero"),
        ("PRINCIPAL_TPM", "muchos", "debe ser un número entero"),
        ("QUESTION_TIMEOUT", "pronto", "debe ser un número"),
        ("QUESTION_TIMEOUT", "0", "debe ser mayor que 0"),
        ("READ_TIMEOUT", "0", "debe ser mayor que 0"),
        ("READ_MEMORY", "100", "debe ser 256 o más"),
        ("READ_UNPACKED", "mucho", "debe ser un número entero"),
        ("RAG_ENABLED", "quizá", "debe ser true o false"),
        ("CONTEXT_TOKENS", "499", "debe ser 500 o más"),
        ("OFFLINE_DIMENSIONS", "193", "debe ser 192 o menos"),
    ],
)
def test_a_value_that_cannot_be_used_is_explained_in_spanish(monkeypatch, name, value, says):
    monkeypatch.setenv(f"ARTICULADO_{name}", value)
    with pytest.raises(ConfigurationError) as raised:
        Settings.read(env_file=None)
    message = str(raised.value)
    assert message.startswith(f"El valor de ARTICULADO_{name} no es válido: ")
    assert says in message
    assert message.endswith("Corríjalo en el entorno o en el fichero .env.")
    assert not {"should", "Input", "or", "valid"} & set(message.replace(",", " ").split())


def test_an_error_of_another_type_says_nothing_in_english():
    with pytest.raises(ConfigurationError) as raised:
        Settings.read(env_file=None, home=b"\xff")
    assert str(raised.value) == (
        "El valor de ARTICULADO_HOME no es válido. Corríjalo en el entorno o en el fichero .env."
    )


def test_a_role_without_its_part_is_told(monkeypatch):
    monkeypatch.setenv("ARTICULADO_READER", "gpt-5-nano")
    with pytest.raises(ConfigurationError, match="ARTICULADO_READER_MODEL"):
        Settings.read(env_file=None)


def names(settings):
    return tuple(getattr(settings, role).model for role in DEFAULT_MODELS)


def test_models_are_those_of_the_environment_then_of_the_profile_then_the_defaults(monkeypatch, tmp_path):
    profile = tmp_path / "own.toml"
    profile.write_text(
        'name = "own"\ntitle = "Own"\nlanguage = "en"\n[models]\nreader = "r"\nprincipal = "p"\nchecker = "c"\n'
        '[[collections]]\nname = "articles"\nlabel = "A"\n',
        encoding="utf-8",
    )
    assert names(Settings.read(env_file=None)) == tuple(DEFAULT_MODELS.values())
    monkeypatch.setenv("ARTICULADO_PROFILE", str(profile))
    assert names(Settings.read(env_file=None)) == ("r", "p", DEFAULT_MODELS["embedder"], "c")
    monkeypatch.setenv("ARTICULADO_PRINCIPAL_MODEL", "mine")
    assert names(Settings.read(env_file=None)) == ("r", "mine", DEFAULT_MODELS["embedder"], "c")
    assert names(Settings.read(env_file=None, profile="laboral")) == (
        DEFAULT_MODELS["reader"],
        "mine",
        DEFAULT_MODELS["embedder"],
        DEFAULT_MODELS["checker"],
    )
    override = ModelSettings(provider="openai", model="override")
    assert Settings.read(env_file=None, principal=override).principal == override


def test_a_profile_that_is_not_there_is_told_by_what_opens_it():
    settings = Settings.read(env_file=None, profile="nope")
    assert names(settings) == tuple(DEFAULT_MODELS.values())
    with pytest.raises(ConfigurationError, match="No existe el perfil «nope»"):
        load_profile(settings.profile)
