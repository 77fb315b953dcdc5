"""The lock: every version is that of constraints.txt, and every one has the hashes of its files."""

import re
import tomllib

from support.paths import REPOSITORY

LOCK = (REPOSITORY / "requirements.lock").read_text(encoding="utf-8")
NOT_FROZEN = {"setuptools"}
"""What pip needs to build, and `pip freeze` leaves out."""


def pins(text: str) -> dict[str, str]:
    named = re.findall(r"^([\w.-]+)==([^\s;]+)", text, re.MULTILINE)
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in named}


def test_the_lock_has_the_versions_that_are_known_to_work_together() -> None:
    constraints = pins((REPOSITORY / "constraints.txt").read_text(encoding="utf-8"))
    assert {
        name: version for name, version in pins(LOCK).items() if constraints.get(name) != version
    }.keys() <= NOT_FROZEN


def test_all_that_is_asked_for_is_locked() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    asked_for = [
        *project["dependencies"],
        *(one for name in extras if name not in ("aegra", "mutation", "peers") for one in extras[name]),
    ]
    names = {re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", one)[0]).lower() for one in asked_for}  # type: ignore[index]
    assert names - pins(LOCK).keys() == {"articulado"}


def test_every_file_has_a_hash_and_nothing_says_where_it_was_fetched() -> None:
    assert all("--hash=sha256:" in block for block in re.split(r"\n(?=\S)", LOCK.strip()))
    assert not re.search(r"://|--index|--find-links|file:|#", LOCK)
