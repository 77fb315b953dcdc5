"""The provisions of the real laws, by law and label."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from support.law_text import read_provisions

Find = Callable[[str, str], str | None]


@pytest.fixture(scope="session")
def find_provision(real_laws: Path) -> Find:
    """A function from law and label to label, title and text of the provision; ``None`` if there is none."""

    @cache
    def provisions(law_id: str) -> dict[str, str]:
        path = real_laws / f"{law_id}.md"
        return read_provisions(path.read_text(encoding="utf-8")) if path.is_file() else {}

    return lambda law_id, label: provisions(law_id).get(label)
