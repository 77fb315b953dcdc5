"""The examples of the documentation run and show their real output; those that cannot run here name real options."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
from support.doc_pages import (
    ONLY_CHECKED,
    ONLY_CHECKED_VARIABLES,
    ONLY_PARSED,
    Reader,
    blocks_of,
    check_command,
    missing_pieces,
)
from support.laboral import write_laboral
from support.paths import REPOSITORY
from support.word import paragraph, word_of
from support.word import run as run_of

from cli.session import known_variables
from graph import app
from server.settings import variable_names

PAGES = [
    page
    for pattern in ("README*.md", "CONTRIBUTING.md", "docs/*.md", "profiles/README.md", "corpus/README.md")
    for page in sorted(REPOSITORY.glob(pattern))
]
WITH_BLOCKS = [page for page in PAGES if blocks_of(page)]
COMMAND = re.compile(r"`articulado ([a-z][^`…]*)`")
VARIABLE = re.compile(r"\bARTICULADO_[A-Z][A-Z_]*[A-Z]\b")
TELEWORK = "La persona trabajadora pide el teletrabajo con quince días de antelación."
BRIEF = "Según el artículo 38 ET, las vacaciones son de 30 días naturales. El artículo 38.9 ET lo confirma."
FILES = {
    "my_documents/protocolo.md": f"# Protocolo de teletrabajo\n\n{TELEWORK}\n",
    "mis_documentos/protocolo.md": f"# Protocolo de teletrabajo\n\n{TELEWORK}\n",
    "escrito.md": f"# Demanda\n\n{BRIEF}\n\nEn Madrid, a 3 de mayo de 2021.\n",
    ".venv/bin/activate": "",
}
"""Files that a reader of any page has."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a reader: the checkout, its example files, and a home of its own."""
    for entry in REPOSITORY.iterdir():
        if not entry.name.startswith((".", "build", "dist")) or entry.name == ".env.example":
            (tmp_path / entry.name).symlink_to(entry)
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "escrito.docx").write_bytes(word_of(paragraph(run_of(BRIEF))))
    shutil.copytree(REPOSITORY / "tests/data/laws", tmp_path / "laws")
    return tmp_path


@pytest.fixture(scope="module")
def other_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the index of `plan_401k`, which the first page that needs it builds."""
    return tmp_path_factory.mktemp("plan_401k")


@pytest.fixture
def environment(folder: Path, demo_index: Path, other_index: Path) -> dict[str, str]:
    """Return the variables of a reader."""
    home = folder / ".home"
    home.mkdir()
    (home / "index-plan_401k").symlink_to(other_index)
    (home / "index").symlink_to(demo_index)
    (home / "encoders").symlink_to(demo_index.parent / "encoders")
    return {"ARTICULADO_HOME": str(home), "ARTICULADO_SERVER_CONVERSATIONS": "memory"}


@pytest.mark.integration
@pytest.mark.parametrize("page", WITH_BLOCKS, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_examples_run(
    page: Path, folder: Path, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    own = tmp_path_factory.mktemp("own")
    (own / "encoders").symlink_to(Path(environment["ARTICULADO_HOME"]) / "encoders")
    ingesting = {"ARTICULADO_HOME": str(own), "ARTICULADO_PROFILE": write_laboral(own)}
    reader = Reader(page, folder, environment, ingesting)
    # Its graphs are those of the first program of a process: every page is a reader's own process.
    app._graphs.cache_clear()
    try:
        problems = reader.follow()
    finally:
        app._graphs.cache_clear()
    assert not problems, "\n\n".join(problems)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_named_commands_and_options_exist(page: Path) -> None:
    for line in COMMAND.findall(page.read_text(encoding="utf-8")):
        check_command(shlex.split(line))


def test_named_variables_exist() -> None:
    known = known_variables() | variable_names().keys() | {"ARTICULADO_DEBUG"}
    unknown = {
        f"{page.name}: {name}"
        for page in PAGES
        for name in VARIABLE.findall(page.read_text(encoding="utf-8"))
        if name not in known and not name.startswith("ARTICULADO_TEST_")
    }
    assert unknown == set()


def test_each_exception_is_used() -> None:
    text = "".join(block.text for page in PAGES for block in blocks_of(page))
    assert [start for start in (*ONLY_CHECKED, *ONLY_CHECKED_VARIABLES, *ONLY_PARSED) if start not in text] == []


def test_shown_output_may_leave_parts_out() -> None:
    output = "1. Tiempo: 7 años\n2. Resultado:   14.000,00 €\nFuentes\n"
    assert missing_pieces("1. Tiempo […]\n2. Resultado: 14.000,00 €\n[…]", output) == []
    assert missing_pieces("Fuentes […] 1. Tiempo", output) == ["1. Tiempo"]


def test_an_unknown_option_is_reported() -> None:
    check_command(["calculate", "--list"])
    with pytest.raises(AssertionError, match="--lists"):
        check_command(["calculate", "--lists"])
