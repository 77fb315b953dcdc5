"""The language in which a profile is spoken of before it is read."""

import pytest

from articulado.config.files import profile_file, spoken_language
from articulado.config.settings import Settings
from articulado.values.errors import ConfigurationError


@pytest.fixture
def garden(tmp_path):
    file = tmp_path / "garden.toml"
    file.write_text('name = "garden"\nlanguage = "en"\ntitle = Garden\n')
    return file


def test_a_profile_is_found_by_its_name_or_its_file(garden):
    assert profile_file(str(garden)) == garden
    assert profile_file("plan_401k").name == "plan_401k.toml"
    assert profile_file("nope") is profile_file("../profiles/plan_401k") is profile_file("nope.toml") is None


def test_the_language_is_that_of_a_file_that_cannot_be_used_too(garden):
    assert spoken_language(str(garden)) == spoken_language("plan_401k") == "en"
    assert spoken_language("laboral") == spoken_language("nope") == "es"
    garden.write_bytes(b'language = "en"\ntitle = "Jard\xedn"\n')
    assert spoken_language(str(garden)) == "es"


def test_without_a_name_it_is_that_of_the_settings(garden, tmp_path, monkeypatch):
    monkeypatch.delenv("ARTICULADO_PROFILE", raising=False)
    env_file = tmp_path / ".env"
    assert spoken_language(None, env_file) == spoken_language(None, None) == "es"
    env_file.write_text(f"ARTICULADO_PROFILE={garden}\n")
    assert spoken_language(None, env_file) == "en"
    monkeypatch.setenv("ARTICULADO_PROFILE", "laboral")
    assert spoken_language(None, env_file) == "es"


def test_a_setting_that_cannot_be_used_is_said_in_the_language_of_the_profile(monkeypatch):
    monkeypatch.setenv("ARTICULADO_INGEST_WORKERS", "none")
    with pytest.raises(ConfigurationError) as caught:
        Settings.read(env_file=None, profile="plan_401k")
    assert str(caught.value) == (
        "The value of ARTICULADO_INGEST_WORKERS is not valid: it must be a whole number. "
        "Correct it in the environment or in the file .env."
    )
    with pytest.raises(ConfigurationError, match="debe ser un número entero"):
        Settings.read(env_file=None, profile="laboral")
