"""What people ask any desk: both languages are whole, and a line that breaks the schema is named."""

import json

import pytest

from articulado.store.records.schema import GeneralMatter, load_general_matters, read_records
from articulado.values.errors import ConfigurationError

MATTER = {"matter": "lost_card", "desk": "bank", "title": "Lost card", "text": "Block it.", "inquiries": ["card gone"]}
LANGUAGES = ["es", "en"]


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_language_has_130_matters_each_asked_for_in_six_ways(code):
    matters = load_general_matters(code)

    assert len({matter.matter for matter in matters}) == len(matters) == 130
    assert {len(matter.inquiries) for matter in matters} == {6}
    inquiries = [inquiry.casefold() for matter in matters for inquiry in matter.inquiries]
    assert len(set(inquiries)) == len(inquiries)


def test_a_language_that_has_none_is_said():
    with pytest.raises(ConfigurationError, match="xx"):
        load_general_matters("xx")


def read(folder, *matters):
    lines = "\n".join(json.dumps(matter) for matter in matters)
    (folder / "consultas.jsonl").write_text(lines, encoding="utf-8")
    return list(read_records(folder, GeneralMatter))


def test_a_line_is_read_as_it_is(tmp_path):
    [matter] = read(tmp_path, MATTER)

    assert matter.model_dump() == {**MATTER, "inquiries": ("card gone",)}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("matter", "Lost card"),
        ("desk", ""),
        ("title", " "),
        ("text", None),
        ("inquiries", []),
        ("inquiries", [""]),
        ("more", "x"),
    ],
)
def test_a_line_that_breaks_the_schema_is_named_with_its_field(tmp_path, field, value):
    with pytest.raises(ConfigurationError, match=rf"consultas\.jsonl, línea 2, campo «{field}"):
        read(tmp_path, MATTER, {**MATTER, field: value})
