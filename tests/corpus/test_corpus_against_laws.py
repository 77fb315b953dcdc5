"""Machine checks of the plain-language records against the official text; skipped where that is not at hand."""

import re
from functools import cache
from importlib import resources
from pathlib import Path

import pytest
from support.figures import readable, written
from support.law_text import read_provisions

from articulado.ingestion.markdown.reader import read_law
from articulado.language.folding import fold
from articulado.legal.labels import provision_key
from articulado.store.records.schema import ProvisionRecord, load_corpus
from tools.record_state import FOLDERS, LawState, read_lines, state_of

CORPUS = load_corpus()
MAX_SHARED_WORDS = 11
# "4.b) ", "13 bis. ", "5 y 6. ", "11 a 13. ": where in the provision a point comes from.
MARK = re.compile(
    r"^(?:(?:\d+(?: (?:bis|ter|quater|quinquies))?(?:,? (?:y|a) |, )?)+\.(?:[a-zñ]{1,2}\))?|[a-zñ]{1,2}\))"
)

WHOLE = [
    "BOE-A-1977-6061",
    "BOE-A-1985-12313",
    "BOE-A-1985-16660",
    "BOE-A-1985-17006",
    "BOE-A-1985-17303",
    "BOE-A-1985-17410",
    "BOE-A-1985-8124",
    "BOE-A-1994-12554",
    "BOE-A-1995-21346",
    "BOE-A-1995-24292",
    "BOE-A-1996-1579",
    "BOE-A-1996-4447",
    "BOE-A-1997-1853",
    "BOE-A-1998-12816",
    "BOE-A-2000-15060",
    "BOE-A-2004-11836",
    "BOE-A-2006-20113",
    "BOE-A-2007-13409",
    "BOE-A-2009-4724",
    "BOE-A-2010-9274",
    "BOE-A-2011-13119",
    "BOE-A-2011-15936",
    "BOE-A-2011-17975",
    "BOE-A-2012-13419",
    "BOE-A-2014-7684",
    "BOE-A-2015-11430",
    "BOE-A-2015-11719",
    "BOE-A-2015-11724",
    "BOE-A-2020-12214",
    "BOE-A-2020-12215",
    "BOE-A-2021-11472",
    "BOE-A-2021-21007",
    "BOE-A-2022-11589",
    "BOE-A-2023-5365",
    "BOE-A-2026-3815",
    "BOE-A-2026-7296",
]
"""Laws of which every provision is here."""

LAWS = sorted({record.law_id for record in CORPUS.provisions})


def records(law_id: str) -> list[ProvisionRecord]:
    return [record for record in CORPUS.provisions if record.law_id == law_id]


def official(find_provision, record: ProvisionRecord) -> str:
    text = find_provision(record.law_id, record.provision)
    assert text is not None, f"{record.law_id} has no {record.provision}"
    return text


official_law = cache(read_law)


@cache
def words(text: str) -> list[str]:
    return re.findall(r"\w+", fold(text))


def runs(text: str, length: int) -> set[tuple[str, ...]]:
    found = words(text)
    return {tuple(found[start : start + length]) for start in range(len(found) - length + 1)}


@pytest.mark.parametrize("law_id", LAWS)
def test_every_label_is_a_provision_in_the_order_of_its_law(real_laws, law_id):
    order = list(read_provisions((real_laws / f"{law_id}.md").read_text(encoding="utf-8")))
    labels = [record.provision for record in records(law_id)]
    assert [label for label in labels if label not in order] == []
    assert labels == sorted(labels, key=order.index)


@pytest.mark.parametrize("law_id", LAWS)
def test_every_figure_is_in_the_provision(find_provision, law_id):
    strange = {}
    for record in records(law_id):
        known = readable(official(find_provision, record))
        for text in (record.summary, *(MARK.sub("", point, count=1) for point in record.points)):
            if missing := written(text) - known:
                strange[record.provision, text] = missing
    assert strange == {}


@pytest.mark.parametrize("law_id", LAWS)
def test_every_point_names_an_apartado_that_exists(find_provision, law_id):
    strange = []
    for record in records(law_id):
        text = official(find_provision, record)
        for point in record.points:
            mark = MARK.match(point)
            numbers = re.findall(r"\d+", mark[0]) if mark else []
            letters = re.findall(r"([a-zñ]{1,2})\)", mark[0]) if mark else []
            strange += [
                (record.provision, point)
                for n in numbers
                if not re.search(rf"(?m)^\W*{n} ?[.ºª)–-]|^\W*{n} (bis|ter)", text)
            ]
            strange += [(record.provision, point) for x in letters if not re.search(rf"(?<!\w){x}\)", text)]
    assert strange == []


@pytest.mark.parametrize("law_id", LAWS)
def test_records_are_in_our_own_words(find_provision, law_id):
    copied = {}
    for record in records(law_id):
        source = runs(official(find_provision, record), MAX_SHARED_WORDS + 1)
        for text in (record.summary, *record.points):
            if shared := runs(text, MAX_SHARED_WORDS + 1) & source:
                copied[record.provision] = " ".join(min(shared))
    assert copied == {}


@pytest.mark.parametrize("law_id", LAWS)
def test_keywords_add_what_the_provision_does_not_say(find_provision, law_id):
    idle = [
        (record.provision, keyword)
        for record in records(law_id)
        for text in [f" {' '.join(words(official(find_provision, record)))} "]
        for keyword in record.keywords
        if f" {' '.join(words(keyword))} " in text
    ]
    assert idle == []


@pytest.mark.parametrize("law_id", LAWS)
def test_every_record_is_of_the_wording_in_force(real_laws, law_id):
    found = law_state(real_laws, law_id)
    assert (found.stale, found.unstamped) == ((), ())


@pytest.mark.parametrize("law_id", WHOLE)
def test_every_provision_of_a_covered_law_has_a_record_or_is_listed_as_without_rules(real_laws, law_id):
    assert law_state(real_laws, law_id).missing == ()


def law_state(laws: Path, law_id: str) -> LawState:
    folder = resources.files("corpus")
    files = [read_lines(Path(str(folder / room / f"{law_id}.jsonl"))) for room in FOLDERS]
    return state_of(official_law(laws / f"{law_id}.md"), *files)


@pytest.mark.parametrize("law_id", sorted({record.law_id for record in CORPUS.empty}))
def test_what_has_been_repealed_and_nothing_else_is_listed_as_such(real_laws, law_id):
    provisions = {one.key: one for one in official_law(real_laws / f"{law_id}.md").provisions}
    empty = {provision_key(one.provision): one for one in CORPUS.empty if one.law_id == law_id}
    repealed = {key for key, one in provisions.items() if one.status == "derogada"}
    written = {provision_key(record.provision) for record in records(law_id)}
    assert {key for key, one in empty.items() if one.reason == "derogada"} == repealed & empty.keys()
    assert written & repealed == set()


def test_every_reference_is_a_provision(find_provision):
    everything = (*CORPUS.provisions, *CORPUS.decisions)
    refs = {ref for record in everything for ref in record.refs} | {r for one in CORPUS.empty for r in one.replaced_by}
    assert sorted(ref for ref in refs if find_provision(*ref.split("#", 1)) is None) == []
