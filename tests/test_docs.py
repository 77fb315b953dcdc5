"""Markdown files name only repository paths and headings that exist."""

import re
from pathlib import Path

import pytest
from support.paths import REPOSITORY

PAGES = sorted(
    page
    for pattern in ("*.md", "docs/**/*.md", "[a-z]*/README.md", "[a-z]*/*/README.md")
    for page in REPOSITORY.glob(pattern)
)
FOLDERS = {page.name for page in REPOSITORY.iterdir() if page.is_dir() and not page.name.startswith(".")}
"""First parts of repository paths: a path that starts with another word is an example of a reader's file."""


def missing_paths(page: Path) -> list[str]:
    """Return the link targets, paths in backticks and names of modules in backticks that do not exist."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    links = [link for link in re.findall(r"\]\(([^)#\s]+)", text) if not re.match(r"\w+:", link)]
    missing = [link for link in links if not (page.parent / link).exists()]
    for name in re.findall(r"`([\w./-]+)`", text):
        folder, slash, _ = name.partition("/")
        if slash and folder in FOLDERS:
            found = (REPOSITORY / name).exists() or (page.parent / name).exists()
        elif not slash and re.fullmatch(r"\w+\.py", name):
            found = any(any((REPOSITORY / room).rglob(name)) for room in FOLDERS)
        else:
            continue
        if not found:
            missing.append(name)
    return missing


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub gives the headings of a page."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ +(.*?) *$", text, re.MULTILINE)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings]
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_linked_headings_exist(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s:]*)#([^)\s]+)\)", page.read_text(encoding="utf-8"))
    targets = [(page.parent / path if path else page, anchor) for path, anchor in links]
    pages = [(path, anchor) for path, anchor in targets if path.suffix == ".md"]
    assert [f"{path.name}#{anchor}" for path, anchor in pages if anchor not in anchors(path)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_named_paths_exist(page: Path) -> None:
    assert missing_paths(page) == []


def test_a_path_that_does_not_exist_is_reported(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("`graph/rag.py`, `graph/gone.py`, `gone_too.py`, `leyes/et.md`, [a](b.md) and [c](https://d.e/f)")
    assert missing_paths(page) == ["b.md", "graph/gone.py", "gone_too.py"]
