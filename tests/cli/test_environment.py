"""Variables that nothing reads are told, with the one that was meant."""

import pytest

from articulado.config.settings import Settings
from cli.session import known_variables, misspelt
from server.settings import variable_names

KNOWN = known_variables() | variable_names().keys()


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("ARTICULADO_PROFIL", "ARTICULADO_PROFILE"),
        ("ARTICULADO_READER_APIKEY", "ARTICULADO_READER_API_KEY"),
        ("ARTICULADO_SERVER_RUNING", "ARTICULADO_SERVER_RUNNING"),
        ("articulado_index_path", "ARTICULADO_INDEX"),
        ("ARTICULADO_XYZ_QWERTY_UIOP", ""),
    ],
)
def test_a_misspelt_variable_is_reported_with_the_intended_one(name: str, meant: str) -> None:
    assert misspelt({name: "1", "PATH": "/bin", "ARTICULADO_PROFILE": "laboral"}, KNOWN) == [(name, meant)]


def test_every_variable_of_the_settings_is_known() -> None:
    read = ["ARTICULADO_HOME", "ARTICULADO_RERANK_STRATEGY", "ARTICULADO_RERANK_TIMEOUT", "ARTICULADO_PRINCIPAL_MODEL"]
    read += ["ARTICULADO_SENTENCES_PATH", "ARTICULADO_SENTENCES_MODEL"]
    assert misspelt(dict.fromkeys([*read, "articulado_as_of"], "x"), KNOWN) == []
    assert all(f"ARTICULADO_{name.upper()}" in KNOWN for name in Settings.model_fields if name not in ("reader",
               "principal", "embedder", "checker", "rerank", "sentence_encoder"))  # fmt: skip
