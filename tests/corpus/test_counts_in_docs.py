"""What the documents say of the size of the packaged corpus is what is in it."""

import re
from collections import Counter
from pathlib import Path

import pytest

from articulado.store.records.schema import load_corpus

CORPUS = load_corpus()
ROOT = Path(__file__).parents[2]
LAWS = len({record.law_id for record in CORPUS.provisions})
ROW = re.compile(r"^\| .*\(`(BOE-A-\d{4}-\d+)`\)[^|]* \| (\d+) \| (\d*) ?\| (\d*) ?\|$", re.MULTILINE)


def document(name):
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["README.md", "corpus/README.md", "evaluation/datasets/README.md"])
def test_documents_name_the_number_of_laws(name):
    text = document(name)
    said = re.findall(r"(?:provisions of|records of|\d of|all,|of the) (\d+) laws", text.replace("the 66 laws", ""))
    assert said, name
    assert {int(number) for number in said} == {LAWS}


def test_the_table_of_coverage_counts_the_records_of_each_law():
    provisions = Counter(record.law_id for record in CORPUS.provisions)
    notes = Counter(record.law_id for record in CORPUS.provisions if record.status_note)
    empty = Counter(record.law_id for record in CORPUS.empty)
    text = document("corpus/README.md")
    rows = {law: tuple(int(count or 0) for count in counts) for law, *counts in ROW.findall(text)}
    assert rows == {law: (provisions[law], notes[law], empty[law]) for law in provisions}
    assert f"| all, {LAWS} laws | {provisions.total()} | {notes.total()} | {empty.total()} |" in text


def test_the_readme_of_the_corpus_counts_its_records():
    text = document("corpus/README.md")
    assert f"| {len(CORPUS.provisions):,} of {LAWS} laws |" in text
    for folder, count in {
        "sin_contenido": len(CORPUS.empty),
        "sentencias": len(CORPUS.rulings),
        "criterios_inss": len(CORPUS.criteria),
    }.items():
        (row,) = [line for line in text.splitlines() if line.startswith(f"| `{folder}/` |")]
        assert f" | {count} | " in row
