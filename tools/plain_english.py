"""Check that docstrings and headings stay easy to read: ``make check`` compares their counts with ``LIMITS``."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

LIMITS = {
    "docstrings_with_clause": 0,
    "headings_with_clause": 0,
    "what_per_1000_words": 3,
    "docstring_lines": 6_500,
    "undocumented_functions": 0,
}
CLAUSE = re.compile(r"(?:What|How|Where|Whether|Who|That of|Those of)\b")
HEADING = re.compile(r"#{1,6} +(.+)")
FENCE = re.compile(r" *(?:```|~~~)")
WORD = re.compile(r"[^\W\d_]+")
LISTED = 30
SHORT = 3

Counts = dict[str, float]


@dataclass(frozen=True)
class Text:
    """A docstring or a heading, with the file and the line on which it begins."""

    file: Path
    line: int
    text: str

    @property
    def first_line(self) -> str:
        return self.text.strip().partition("\n")[0]


def docstrings(source: str, file: Path) -> list[Text]:
    """Return the docstrings of modules, classes and functions, and the string literals that follow an assignment."""
    found: list[Text] = []
    scopes: list[list[ast.stmt]] = [ast.parse(source).body]
    while scopes:
        previous: ast.stmt | None = None
        for statement in scopes.pop():
            match statement:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    if previous is None or isinstance(previous, ast.Assign | ast.AnnAssign):
                        found.append(Text(file, statement.lineno, text))
                case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                    scopes.append(statement.body)
            previous = statement
    return sorted(found, key=lambda text: text.line)


def undocumented(source: str, file: Path) -> list[Text]:
    """Return the public functions and methods without a docstring that are longer than ``SHORT`` statements."""
    long: list[Text] = []
    scopes: list[list[ast.stmt]] = [ast.parse(source).body]
    while scopes:
        for statement in scopes.pop():
            if isinstance(statement, ast.ClassDef) and not statement.name.startswith("_"):
                scopes.append(statement.body)
            elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and not statement.name.startswith("_"):
                length = sum(isinstance(node, ast.stmt) for node in ast.walk(statement)) - 1
                if length > SHORT and not ast.get_docstring(statement):
                    long.append(Text(file, statement.lineno, statement.name))
    return long


def headings(source: str, file: Path) -> list[Text]:
    """Return the headings of a Markdown file; comments in blocks of code are none."""
    found: list[Text] = []
    in_code = False
    for number, line in enumerate(source.splitlines(), 1):
        if FENCE.match(line):
            in_code = not in_code
        elif not in_code and (heading := HEADING.match(line)):
            found.append(Text(file, number, heading[1]))
    return found


def texts(root: Path) -> tuple[list[Text], list[Text], list[Text]]:
    """Return the docstrings, headings and undocumented functions of a git checkout."""
    packages = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py", "*.md"]
    names = subprocess.run(listing, cwd=root, capture_output=True, text=True, check=True).stdout.splitlines()
    of_code: list[Text] = []
    of_docs: list[Text] = []
    missing: list[Text] = []
    for name in map(Path, names):
        if not (root / name).is_file():
            continue  # deleted, and not committed yet
        if name.suffix == ".md":
            of_docs += headings((root / name).read_text(encoding="utf-8"), name)
        elif any(fnmatch(name.parts[0], pattern) for pattern in packages["find"]["include"]):
            source = (root / name).read_text(encoding="utf-8")
            of_code += docstrings(source, name)
            missing += undocumented(source, name)
    return of_code, of_docs, missing


def measure(
    of_code: Sequence[Text], of_docs: Sequence[Text], missing: Sequence[Text] = ()
) -> tuple[Counts, dict[str, list[Text]]]:
    """Return each count, and the texts that it counts."""
    words = [WORD.findall(text.text.lower()) for text in of_code]
    offenders = {
        "docstrings_with_clause": [text for text in of_code if CLAUSE.match(text.first_line)],
        "headings_with_clause": [text for text in of_docs if CLAUSE.match(text.first_line)],
        "what_per_1000_words": [text for text, own in zip(of_code, words, strict=True) if "what" in own],
        "docstring_lines": sorted(of_code, key=lambda text: -text.text.count("\n"))[:LISTED],
        "undocumented_functions": list(missing),
    }
    counts: Counts = {kind: len(listed) for kind, listed in offenders.items()}
    share = sum(own.count("what") for own in words) / max(sum(map(len, words)), 1)
    lines = sum(text.text.count("\n") + 1 for text in of_code)
    return {**counts, "what_per_1000_words": round(1000 * share, 1), "docstring_lines": lines}, offenders


def report(kind: str, count: float, offenders: Sequence[Text], root: Path) -> Iterator[str]:
    """Yield the lines of a failure: the counts, then the offenders, those of the most recently changed files first."""
    yield f"{kind}: {count:g}, at most {LIMITS[kind]} allowed. Offenders, most recently changed files first:"
    newest = sorted(offenders, key=lambda text: -(root / text.file).stat().st_mtime)
    yield from (f"  {text.file}:{text.line}: {text.first_line[:90]}" for text in newest[:LISTED])
    if len(newest) > LISTED:
        yield f"  … and {len(newest) - LISTED} more"


def main(root: Path = Path()) -> int:
    """Print the counts that are above their limits; return the exit status: 0 passed, 1 failed."""
    counts, offenders = measure(*texts(root))
    above = [kind for kind, limit in LIMITS.items() if counts[kind] > limit]
    for kind in above:
        print("\n".join(report(kind, counts[kind], offenders[kind], root)))
    if above:
        print("Begin with a noun or a verb, and say what a name does not say.")
    return int(bool(above))


if __name__ == "__main__":
    sys.exit(main())
