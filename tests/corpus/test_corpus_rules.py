"""The rules of ``corpus/README.md`` that need no law text."""

import json
import re
from collections import Counter
from importlib import resources

import pytest

from articulado.language.folding import fold
from articulado.legal.labels import provision_key
from articulado.legal.laws.registry import known_laws
from articulado.store.records.schema import CriterionRecord, EmptyRecord, ProvisionRecord, RulingRecord, load_corpus

CORPUS = load_corpus()
DECISIONS = CORPUS.decisions
EVERYTHING = (*CORPUS.provisions, *DECISIONS)
REFERRING = [(record, record.refs) for record in EVERYTHING] + [(one, one.replaced_by) for one in CORPUS.empty]
FOLDERS = {
    "normativa": ProvisionRecord,
    "sin_contenido": EmptyRecord,
    "sentencias": RulingRecord,
    "criterios_inss": CriterionRecord,
}
ORDERS = {
    "normativa": "law_id provision title summary points questions keywords topics refs (status_note) written_against",
    "sin_contenido": "law_id provision title reason note replaced_by written_against",
    "sentencias": "id court number date case ecli title doctrine status_note questions keywords topics refs url",
    "criterios_inss": "id body number date title doctrine status_note questions keywords topics refs url",
}
UNPLAIN = re.compile(r"[<>*`\[\]\n\t\u00a0\u00ad\u200b\u202f]|  ")
LINES = [
    (folder, file.name, number, line)
    for folder in FOLDERS
    for file in resources.files("corpus").joinpath(folder).iterdir()
    if file.name.endswith(".jsonl")
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
]


def texts(record) -> list[str]:
    return [record.title, *record.lines, record.status_note, *record.questions, *record.keywords]


def test_the_corpus_is_whole():
    assert len(CORPUS.provisions) >= 319
    assert len(CORPUS.rulings) == 36
    assert len(CORPUS.criteria) == 10


@pytest.mark.parametrize("folder", FOLDERS)
def test_lines_are_canonical_json_in_one_order(folder):
    for where, file, number, line in LINES:
        if where == folder:
            record = json.loads(line)
            order = ORDERS[folder] if "status_note" in record else ORDERS[folder].replace("(status_note) ", "")
            assert " ".join(record) == order.replace("(status_note)", "status_note"), f"{file}:{number}"
            assert json.dumps(record, ensure_ascii=False) == line, f"{file}:{number}"


def test_nothing_is_there_twice():
    places = Counter((record.law_id, provision_key(record.provision)) for record in CORPUS.law_records)
    ids = Counter(record.id for record in DECISIONS)
    assert [name for name, count in (places + ids).items() if count > 1] == []
    for record in EVERYTHING:
        for listed in (record.questions, record.keywords, record.topics, record.refs):
            assert len(set(map(fold, listed))) == len(listed), record.title


def test_references_lead_to_provisions_of_known_laws_and_never_to_themselves():
    for record, refs in REFERRING:
        for ref in refs:
            law_id, label = ref.split("#", 1)
            assert law_id in known_laws(), ref
            assert provision_key(label), ref
            if isinstance(record, (ProvisionRecord, EmptyRecord)):
                assert (law_id, label) != (record.law_id, record.provision)


def test_provision_records_keep_to_the_counts_and_lengths():
    for record in CORPUS.provisions:
        where = f"{record.law_id} {record.provision}"
        assert len(record.summary) <= 450, where
        assert len(record.status_note) <= 300, where
        assert record.status_note == "" or record.status_note.endswith("."), where
        assert 1 <= len(record.points) <= 20, where
        assert max(map(len, record.points)) <= 320, where
        assert 5 <= len(record.questions) <= 10, where
        assert 4 <= len(record.keywords) <= 10, where
        assert 1 <= len(record.topics) <= 3, where
        assert len(record.refs) <= 6, where


def test_what_has_no_rules_says_why_in_a_sentence():
    for record in CORPUS.empty:
        where = f"{record.law_id} {record.provision}"
        assert len(record.note) <= 300, where
        assert record.note.endswith("."), where
        assert len(record.replaced_by) == len(set(record.replaced_by)), where
        assert not UNPLAIN.search(record.note + record.title), where


def test_decision_records_keep_to_the_counts():
    for record in DECISIONS:
        assert len(record.questions) == 5, record.id
        assert 4 <= len(record.keywords) <= 8, record.id
        assert record.refs, record.id


def test_keywords_of_decisions_add_what_the_doctrine_does_not_say():
    idle = [
        (record.id, keyword)
        for record in DECISIONS
        for keyword in record.keywords
        if re.search(rf"\b{re.escape(fold(keyword))}\b", fold(f"{record.title} {record.doctrine} {record.status_note}"))
    ]
    assert idle == []


def test_texts_are_plain():
    for record in EVERYTHING:
        for text in texts(record):
            assert not UNPLAIN.search(text), text


def test_a_ruling_is_named_as_it_is_cited_and_dated_in_the_year_of_its_number():
    for record in CORPUS.rulings:
        assert re.fullmatch(r"(STJUE C-\d+/\d\d( y C-\d+/\d\d)?|(STC|STS|SAN) \d+/\d{4})", record.number)
        year = int(record.number[-4:].split("/")[-1])
        assert record.date.year == year or record.number.startswith("STJUE")
