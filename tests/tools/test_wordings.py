"""The tool writes the wordings of an index and the table of the provisions covered."""

from datetime import date

import pytest
from support.chunks import make_chunk
from support.doubles import FakeStore

from articulado.calculations.wordings import wordings_written_against
from articulado.legal.wordings import wording_hash
from tools.wordings import BEGIN, DOCS, END, provisions_followed, with_table, wordings_of

TODAY = date(2026, 11, 29)
LAW_DAYS = {"published": "2015-10-24", "begins": "2015-11-13", "changed": "2026-06-24"}


def test_the_table_of_provisions_is_up_to_date():
    page = DOCS.read_text(encoding="utf-8")
    assert with_table(page) == page, "run: python -m tools.wordings"


def test_the_wordings_of_the_package_name_the_calculations_that_follow_them():
    followed = provisions_followed()
    assert {each.provision: set(each.calculations) for each in wordings_written_against().values()} == {
        provision: followed[provision] for provision in wordings_written_against()
    }


def test_a_page_without_marks_is_refused_and_the_rest_of_a_page_is_kept():
    with pytest.raises(ValueError, match="lacks"):
        with_table("# Calculations\n")
    written = with_table(f"before\n{BEGIN}\nformer table\n{END}\nafter\n")
    assert written.startswith(f"before\n{BEGIN}\n| provision | values |")
    assert written.endswith(f"\n{END}\nafter\n")
    assert "former table" not in written
    assert "| LRJS, artículo 103 | `days_left`, `deadline`, `term` |" in written


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"valid_from": "2025-04-03", "wording": {"first_day": "exact"}}, ("2025-04-03", "exact")),
        ({"valid_from": "2024-08-02", "wording": {"first_day": "deduced"}}, ("2024-08-02", "deduced")),
        ({"valid_from": "2015-10-24"}, ("2026-06-24", "at_least")),
    ],
)
async def test_the_first_day_is_the_one_that_the_source_gives_or_the_last_change_of_the_law(fields, expected):
    chunk = make_chunk(1, provision_key="art:53", text="Uno.", law_days=LAW_DAYS, **fields)
    followed = {"BOE-A-2015-11430#Artículo 53": {"b", "a"}, "BOE-A-2015-11430#Artículo 54": {"a"}}
    (written,) = await wordings_of(FakeStore([chunk]), followed, TODAY)
    assert (written.since.isoformat(), written.certainty) == expected
    assert (written.content_hash, written.calculations) == (wording_hash("Uno."), ("a", "b"))


async def test_an_untouched_provision_of_a_law_with_amendments_is_as_old_as_the_law():
    amended = make_chunk(1, law_days=LAW_DAYS, notes=["Se modifica."], wording={"first_day": "exact"})
    untouched = make_chunk(2, provision_key="art:26", law_days=LAW_DAYS, valid_from="2015-11-13")
    (written,) = await wordings_of(FakeStore([amended, untouched]), {"BOE-A-2015-11430#Artículo 26": {"a"}}, TODAY)
    assert (written.since.isoformat(), written.certainty) == ("2015-11-13", "exact")


async def test_a_norm_of_the_values_of_a_year_holds_from_their_first_day():
    """The order on contributions of 2026 was published on 31 March and applies from 1 January."""
    days = {"published": "2026-03-31", "begins": None, "changed": "2026-03-31"}
    order = make_chunk(1, law_id="BOE-A-2026-7296", provision_key="art:4", valid_from="2026-03-31", law_days=days)
    (written,) = await wordings_of(FakeStore([order]), {"BOE-A-2026-7296#Artículo 4": {"a"}}, TODAY)
    assert (written.since.isoformat(), written.certainty) == ("2026-01-01", "exact")
