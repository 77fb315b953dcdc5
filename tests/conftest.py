"""What all tests share: an environment of their own, and the real laws where they are."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run, and no limit that a busy machine breaks; ``--hypothesis-profile=default`` explores.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(autouse=True, scope="session")
def own_environment(tmp_path_factory):
    """Keep tests away from the settings and the index of whoever runs them."""
    for name in [name for name in os.environ if name.startswith(("ARTICULADO_", "LANGSMITH_", "LANGCHAIN_"))]:
        del os.environ[name]
    os.environ["ARTICULADO_HOME"] = str(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="session")
def real_laws() -> Path:
    """Folder of the 66 real laws; the test is skipped where they are not beside the checkout."""
    folder = SHARED / "corpus" / "laws"
    if not folder.is_dir():
        pytest.skip("the real laws are not beside this checkout (../shared/corpus/laws)")
    return folder
