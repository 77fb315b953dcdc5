"""The examples in docstrings are true, and the functions that are used most have one."""

import doctest
import pkgutil
import tomllib
from functools import reduce
from importlib import import_module

import pytest
from support.paths import REPOSITORY

MOST_USED = (
    "articulado.language.folding:fold",
    "articulado.language.formats:figure",
    "articulado.language.numerals:numeral",
    "articulado.legal.citations.parser:parse_citations",
    "articulado.legal.dates.finder:find_date",
    "articulado.legal.labels:provision_key",
    "articulado.legal.labels:provision_url",
    "articulado.legal.laws.mentions:find_law",
    "articulado.legal.territory.mentions:find_territory",
    "articulado.models.tokens:token_counter",
    "articulado.config.profile:load_profile",
    "articulado.prompting.citation_markers:markers_in",
    "articulado.prompting.prompts:read_reader_reply",
    "articulado.prompting.stream_splitter:parse_reply",
    "articulado.retrieval.conversation.subject:contextualize",
    "articulado.retrieval.references:read_reference",
    "articulado.config.settings:Settings.read",
    "articulado.store.rrf:fuse",
    "evaluation.retrieval.run:per_question",
    "evaluation.statistics:interval",
)
"""``module:name`` of what a reader of the library calls first."""

ROOMS = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]["packages"]
PROMPT = ">>> "


def modules_with_examples() -> list[str]:
    """Return the modules whose source has a prompt; only packages are imported to find them."""
    modules = (info for room in ROOMS for info in pkgutil.walk_packages([str(REPOSITORY / room)], f"{room}."))
    return [info.name for info in modules if PROMPT in source_of(info)]


def source_of(info: pkgutil.ModuleInfo) -> str:
    return info.module_finder.find_spec(info.name).loader.get_source(info.name)


@pytest.mark.parametrize("function", MOST_USED)
def test_what_is_used_most_has_an_example(function):
    module, _, name = function.partition(":")
    docstring = reduce(getattr, name.split("."), import_module(module)).__doc__
    assert doctest.DocTestParser().get_examples(docstring or "")


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples_are_true(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # settings are read beside the program, too
    examples = [test for test in doctest.DocTestFinder().find(import_module(name)) if test.examples]
    assert examples, "a prompt outside of a docstring"
    report: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    for example in examples:
        runner.run(example, out=report.append)
    assert runner.failures == 0, "".join(report)
