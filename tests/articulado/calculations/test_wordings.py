"""Calculations follow the wording that they were written against, and refuse another one."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from support.chunks import make_chunk
from support.doubles import FakeStore
from support.paths import DATA

from articulado.calculations.engine import calculate
from articulado.calculations.values import Missing, NotEntitled, Outcome, Refused, Result
from articulado.calculations.wordings import (
    CALCULATIONS,
    IndexedWording,
    compare_wordings,
    confirm,
    find_changed,
    wordings_written_against,
)
from articulado.calculations.written import as_document, notes_on, parts_of
from articulado.ingestion.markdown.reader import read_law
from articulado.legal.labels import provision_key
from articulado.legal.wordings import wording_hash

TODAY = date(2026, 11, 29)
OBJECTIVE, DISMISSAL = CALCULATIONS["compensation/objective"], CALCULATIONS["deadline/dismissal"]
GIVEN = {"start": "2019-03-01", "end": "2026-02-28", "annual_salary": "36500"}
ARTICLE_53, ARTICLE_103 = "BOE-A-2015-11430#Artículo 53", "BOE-A-2011-15936#Artículo 103"
OTHER = "0" * 16
CHANGED = "la norma ha cambiado desde que se programó este cálculo"


def pinned(provision: str) -> str:
    return wordings_written_against()[provision].content_hash


def wording(content_hash: str, **fields: Any) -> IndexedWording:
    return IndexedWording(content_hash, make_chunk(1, **fields))


def reason(outcome: Outcome) -> str:
    assert isinstance(outcome, Refused), outcome
    return outcome.reason


def warnings(outcome: Outcome) -> str:
    assert isinstance(outcome, Result), outcome
    return "\n".join(each for each in outcome.warnings if "redacción" in each)


def test_another_text_refuses_and_names_the_provision():
    outcome = calculate(OBJECTIVE, GIVEN)
    refused = compare_wordings(outcome, {ARTICLE_53: [wording(OTHER, valid_from="2026-01-01")]}, TODAY)
    assert CHANGED in reason(refused)
    assert "artículo 53 ET; seguía la redacción en vigor desde el 3 de abril de 2025" in reason(refused)
    assert isinstance(refused, Refused)
    assert refused.provision == ARTICLE_53


def test_the_same_text_is_confirmed_and_nothing_is_said_of_it():
    outcome = calculate(OBJECTIVE, GIVEN)
    found = {
        provision: [wording(pinned(provision))]
        for provision in (ARTICLE_53, "BOE-A-2015-11430#Artículo 26", "BOE-A-2015-11430#Artículo 12")
    }
    confirmed = compare_wordings(outcome, found, TODAY)
    assert isinstance(confirmed, Result)
    assert {each.provision: each.confirmed for each in confirmed.wordings} == dict.fromkeys(found, True)
    assert not any("redacción" in note for note in notes_on(confirmed))


def test_without_an_index_the_result_says_which_wordings_it_follows():
    result = compare_wordings(calculate(OBJECTIVE, GIVEN), {}, TODAY)
    assert isinstance(result, Result)
    assert notes_on(result)[-1] == (
        "Sigue la redacción en vigor desde el 13 de noviembre de 2015: artículo 26 ET; desde el 3 de abril de 2025:"
        " artículo 53 ET. No se ha comparado con un índice."
    )
    document = as_document(OBJECTIVE, GIVEN, result)
    assert document["law_day"] == "2026-02-28"
    assert document["wordings"][-1] == {
        "provision": ARTICLE_53,
        "since": "2025-04-03",
        "certainty": "exact",
        "confirmed": False,
    }


async def test_a_text_in_a_store_is_compared_with_all_its_parts():
    text = [make_chunk(n, part=n, parts=2, provision_key="art:53", text=f"Parte {n}.") for n in (1, 2)]
    assert CHANGED in reason(await confirm(calculate(OBJECTIVE, GIVEN), FakeStore(text), TODAY))
    summary = [{**each, "source": "packaged"} for each in text]
    assert isinstance(await confirm(calculate(OBJECTIVE, GIVEN), FakeStore(summary), TODAY), Result)
    changed = await find_changed(FakeStore(text), TODAY)
    assert [each.provision for each in changed] == [ARTICLE_53]
    assert "compensation/objective" in changed[0].calculations


@pytest.mark.parametrize("status", ["missing", "not_entitled"])
def test_not_entitled_and_missing_outcomes_are_refused_too(status: str):
    if status == "missing":
        outcome, provision = calculate(OBJECTIVE, {}), ARTICLE_53
        assert isinstance(outcome, Missing)
    else:
        provision = "BOE-A-2015-11430#Artículo 49"
        outcome = calculate(CALCULATIONS["compensation/temporary"], {**GIVEN, "contract": "training"})
        assert isinstance(outcome, NotEntitled)
    assert CHANGED in reason(compare_wordings(outcome, {provision: [wording(OTHER)]}, TODAY))


def test_a_repealed_provision_refuses():
    repealed = wording(pinned(ARTICLE_53), valid_to="2026-01-01")
    assert CHANGED in reason(compare_wordings(calculate(OBJECTIVE, GIVEN), {ARTICLE_53: [repealed]}, TODAY))
    before = calculate(OBJECTIVE, {**GIVEN, "end": "2025-12-31"})
    assert isinstance(compare_wordings(before, {ARTICLE_53: [repealed]}, TODAY), Result)


def test_a_wording_to_come_refuses_only_from_its_day_on():
    found = {
        ARTICLE_53: [
            wording(pinned(ARTICLE_53), valid_from="2025-04-03", valid_to="2026-03-01"),
            wording(OTHER, valid_from="2026-03-01"),
        ]
    }
    assert isinstance(compare_wordings(calculate(OBJECTIVE, GIVEN), found, TODAY), Result)
    assert CHANGED in reason(compare_wordings(calculate(OBJECTIVE, {**GIVEN, "end": "2026-03-01"}), found, TODAY))


def test_a_norm_applies_before_the_day_of_its_publication_if_its_values_do():
    """The minimum wage of 2026 was published on 19 February and applies from 1 January."""
    wage = calculate(CALCULATIONS["benefit/smi_hours"], {"weekly_hours": "40"}, date(2026, 1, 15))
    provision = "BOE-A-2026-3815#Artículo 3"
    text = wording(pinned(provision), law_id="BOE-A-2026-3815", valid_from="2026-02-19")
    assert isinstance(compare_wordings(wage, {provision: [text]}, TODAY), Result)
    before = wording(OTHER, law_id="BOE-A-2026-3815", valid_from="2025-01-01", valid_to="2026-02-19")
    assert "no sirve para el 15 de enero de 2026" in reason(compare_wordings(wage, {provision: [text, before]}, TODAY))


def test_an_event_before_the_wording_warns_unless_the_rule_covers_it():
    """The compensations declare to hold since 2015; the deadlines do not, and their wordings are known since 2025."""
    assert warnings(compare_wordings(calculate(OBJECTIVE, {**GIVEN, "end": "2024-02-28"}), {}, TODAY)) == ""
    early = calculate(DISMISSAL, {"dismissal": "2024-05-10"})
    said = warnings(compare_wordings(early, {}, TODAY))
    assert said.startswith("No consta que rigiera ya el 10 de mayo de 2024")
    assert "al menos desde el 30 de abril de 2025 (artículo 103 LRJS, artículo 43 LRJS y artículo 45 LRJS)" in said
    assert warnings(compare_wordings(calculate(DISMISSAL, {"dismissal": "2026-05-11"}), {}, TODAY)) == ""


def test_a_source_with_every_wording_shows_the_same_text_on_an_earlier_day():
    early = calculate(DISMISSAL, {"dismissal": "2024-05-10"})
    text = wording(pinned(ARTICLE_103), valid_from="2011-12-11", wording={"tracked": True})
    assert "artículo 103" not in warnings(compare_wordings(early, {ARTICLE_103: [text]}, TODAY))
    seems_old = wording(pinned(ARTICLE_103), valid_from="2011-10-11")
    assert "artículo 103" in warnings(compare_wordings(early, {ARTICLE_103: [seems_old]}, TODAY))


def test_the_law_of_another_day_is_refused_where_the_rules_do_not_cover_it():
    asked = calculate(DISMISSAL, {"dismissal": "2026-05-11"}, date(2024, 5, 10))
    assert "no consta que rigiera ya el 10 de mayo de 2024" in reason(compare_wordings(asked, {}, TODAY))
    before = calculate(OBJECTIVE, GIVEN, date(2012, 6, 30))
    assert "no sirve para el 30 de junio de 2012" in reason(before)
    covered = compare_wordings(calculate(OBJECTIVE, GIVEN, date(2024, 5, 10)), {}, TODAY)
    assert isinstance(covered, Result)
    assert as_document("", {}, covered)["law_day"] == "2024-05-10"


def test_the_law_of_another_day_gives_the_day_and_the_year_that_lack():
    without_end = {name: value for name, value in GIVEN.items() if name != "end"}
    result = calculate(OBJECTIVE, without_end, date(2026, 2, 28))
    assert isinstance(result, Result)
    assert str(result.values[0].value) == "14000.00"
    assert "Fin del contrato: 28 de febrero de 2026." in result.assumptions
    wage = calculate(CALCULATIONS["benefit/smi_hours"], {"weekly_hours": "40"}, date(2025, 6, 30))
    assert isinstance(wage, Result)
    assert str(wage.values[0].value) == "1184.00"
    too_old = calculate(CALCULATIONS["benefit/smi_hours"], {"weekly_hours": "40"}, date(1999, 6, 30))
    assert isinstance(too_old, Refused)


def test_every_provision_of_the_worked_cases_has_its_wording_but_norms_of_past_years():
    shown = set()
    for file in (DATA / "calculations").glob("*.jsonl"):
        for case in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            outcome = calculate(CALCULATIONS[case["kind"]], case["inputs"])
            if isinstance(outcome, Result | NotEntitled):
                shown |= {each.provision for each in outcome.basis.followed}
    unpinned = {parts_of(each)[0] for each in shown - wordings_written_against().keys()}
    assert unpinned == {"BOE-A-2025-2576"}
    assert {each.provision for one in CALCULATIONS.values() for each in one.rules} <= wordings_written_against().keys()


def test_no_step_is_stale_against_the_real_laws(real_laws: Path):
    followed = {law_id for law_id, _ in map(parts_of, wordings_written_against())}
    laws = {law_id: read_law(real_laws / f"{law_id}.md") for law_id in followed}
    texts = {(law_id, each.key): wording_hash(each.text) for law_id, law in laws.items() for each in law.provisions}
    stale = [
        pin.provision
        for pin in wordings_written_against().values()
        for law_id, label in [parts_of(pin.provision)]
        if texts.get((law_id, provision_key(label) or "")) != pin.content_hash
    ]
    assert stale == []
