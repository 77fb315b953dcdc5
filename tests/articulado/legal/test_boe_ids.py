"""Identifiers of the gazettes, those of the communities among them, are the same wherever they are read."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from articulado.guides.schema import ProvisionLink
from articulado.ingestion.boe.wordings import read_amendments
from articulado.ingestion.files.header import provisions_named
from articulado.ingestion.sources import source_files
from articulado.legal.ids import BOE_ID_TYPED, boe_id, is_boe_id
from articulado.legal.laws.mentions import find_law
from articulado.retrieval.references import read_reference
from articulado.store.records.schema import LawId, Ref

TODAY = date(2026, 3, 1)
IDENTIFIERS = [
    "BOE-A-2015-11430", "BOE-T-2010-9542", "DOUE-L-2016-80807", "DOGC-f-2015-90448", "BOA-d-2001-90007",
    "BOJA-b-2011-90005", "BOCM-m-2015-90005",
]  # fmt: skip
GAZETTES = st.sampled_from(
    ["BOE-A", "BOE-T", "DOUE-L", "DOUE-Z", "BOA-d", "BOJA-b", "DOGC-f", "BOPV-p", "BORM-s", "DOGV-r", "BON-n"]
)


@pytest.mark.parametrize("text", IDENTIFIERS)
def test_identifiers_of_the_gazettes(text):
    assert is_boe_id(text)


@pytest.mark.parametrize(
    "text",
    ["", "BOE-A-2015", "boe-A-2015-11430", "BOE-A-2015-11430 ", "xBOE-A-2015-1", "BOE-A-15-1", "BOE-A-2015-١", "BOE"],
)
def test_texts_that_are_no_identifiers(text):
    assert not is_boe_id(text)


@given(GAZETTES, st.integers(1950, 2100), st.integers(1, 999_999), st.sampled_from([str, str.lower, str.upper]))
def test_an_identifier_is_found_and_spelt_as_the_gazette_does_however_it_is_typed(gazette, year, number, typed):
    identifier = f"{gazette}-{year}-{number}"
    assert is_boe_id(identifier)
    assert boe_id(typed(identifier)) == identifier
    assert BOE_ID_TYPED.search(f"art. 1 («{typed(identifier)}»#a1)")[0] == typed(identifier)


@given(st.text(alphabet="ABOEdfg-0123456789 ", max_size=24))
def test_boe_id_returns_identifiers(text):
    assert boe_id(text) == "" or is_boe_id(boe_id(text))


def test_a_part_of_a_longer_name_is_no_identifier():
    assert BOE_ID_TYPED.search("ANU-L-2023-70115600789 XBOE-A-2015-1-2") is None


@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_every_reader_takes_every_identifier(identifier, tmp_path):
    assert TypeAdapter(LawId).validate_python(identifier) == identifier
    named = f"{identifier}#Artículo 3"
    assert TypeAdapter(Ref).validate_python(named) == TypeAdapter(ProvisionLink).validate_python(named) == named
    assert provisions_named(f"{identifier.lower()}#Artículo 3") == [(identifier, "art:3")]
    assert [
        provision.law_id
        for provision in read_reference(f"art. 3 {identifier.lower()}", "BOE-A-1978-31229", TODAY).provisions
    ] == [identifier]
    [amendment] = read_amendments([f"Se modifica por la Ley 3/2015, de 11 de marzo. Ref. {identifier}#a1"])
    assert amendment.reference == identifier
    file = tmp_path / "law.md"
    file.write_text(f"---\nidentifier: {identifier}\ntitle: Ley\n---\n")
    assert source_files([str(file)])[0][0]["identity"] == identifier


@pytest.mark.parametrize("text", ["BOE-A-15-1", "Ley 3/2015", "DOGC-f-2015", "BOE-A-2015-11430 bis"])
def test_the_corpus_takes_nothing_else(text):
    with pytest.raises(ValidationError):
        TypeAdapter(LawId).validate_python(text)


def test_a_law_is_found_by_its_identifier_in_whatever_case():
    assert find_law(" boe-a-2015-11430 ") == find_law("ET")
