"""Counts of clauses that stand for nouns, and their limits."""

import subprocess

import pytest

from tools.plain_english import docstrings, headings, main, measure, texts, undocumented

PYPROJECT = '[tool.setuptools.packages.find]\ninclude = ["room*"]\n'
CODE = '''"""What a room holds."""

LIMIT = 3
"""How many there may be."""

"""Neither a docstring nor after an assignment: what stands here is not read."""


class Door:
    """Way in.

    What follows the first line is counted as words alone.
    """

    width: int = 1
    """Metres."""

    async def open(self):
        """Whether it opens."""
        return "What is returned"
'''


@pytest.fixture
def checkout(tmp_path):
    """A git checkout of one package, one test and one document, which is hard to read."""
    for name, text in {
        "pyproject.toml": PYPROJECT,
        ".gitignore": "ignored.md\n",
        "room/door.py": CODE,
        "tests/test_door.py": '"""What is not installed is not counted."""\n',
        "README.md": "# Door\n\n## How to open\n\n```sh\n# What a comment says\n```\n",
        "ignored.md": "# What git ignores\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    return tmp_path


def test_docstrings_are_found_with_their_lines(tmp_path):
    found = [(text.line, text.first_line) for text in docstrings(CODE, tmp_path)]
    assert found == [
        (1, "What a room holds."),
        (4, "How many there may be."),
        (10, "Way in."),
        (16, "Metres."),
        (19, "Whether it opens."),
    ]


def test_comments_in_code_blocks_are_no_headings(tmp_path):
    source = "# One\n```sh\n# Two\n```\n## Three\n#hashtag\n"
    assert [(text.line, text.text) for text in headings(source, tmp_path)] == [(1, "One"), (5, "Three")]


@pytest.mark.parametrize(
    ("first_line", "counted"),
    [("Whose turn it is.", 0), ("Whatever comes.", 0), ("That of a law.", 1), ("That it is so.", 0), ("Who asks.", 1)],
)
def test_only_whole_words_at_the_beginning_count(first_line, counted, tmp_path):
    counts, _ = measure(docstrings(f'"""{first_line}"""', tmp_path), [])
    assert counts["docstrings_with_clause"] == counted


def test_counts_are_of_installed_packages_and_tracked_documents(checkout):
    counts, _ = measure(*texts(checkout))
    # The docstrings of CODE have 25 words, 2 of them "what".
    assert counts == {
        "docstrings_with_clause": 3,
        "headings_with_clause": 1,
        "what_per_1000_words": 80.0,
        "docstring_lines": 8,
        "undocumented_functions": 0,
    }


@pytest.mark.parametrize(
    ("function", "counted"),
    [
        ("def close(self):\n        return self", 0),
        ("def close(self):\n        a = 1\n        b = 2\n        return a + b", 0),
        ("def close(self):\n        if self:\n            a = 1\n            b = 2\n        return a", 1),
        ("async def close(self):\n        a = 1\n        b = 2\n        c = 3\n        return a", 1),
        ('def close(self):\n        """Shut it."""\n        a = 1\n        b = 2\n        c = 3\n        return a', 0),
        ("def _close(self):\n        a = 1\n        b = 2\n        c = 3\n        return a", 0),
    ],
)
def test_only_long_public_functions_need_a_docstring(function, counted, tmp_path):
    assert len(undocumented(f"class Door:\n    {function}\n", tmp_path)) == counted


def test_a_count_above_its_limit_fails_and_names_file_and_line(checkout, capsys):
    assert main(checkout) == 1
    told = capsys.readouterr().out
    assert "docstrings_with_clause: 3, at most 0 allowed" in told
    assert "room/door.py:1: What a room holds." in told
    assert "docstring_lines" not in told


def test_counts_within_their_limits_pass_in_silence(checkout, capsys):
    (checkout / "room/door.py").write_text('"""Doors of a room."""\n', encoding="utf-8")
    (checkout / "README.md").write_text("# Door\n", encoding="utf-8")
    assert main(checkout) == 0
    assert capsys.readouterr().out == ""
