import pytest

from articulado.ingestion.files.formats.html import read
from articulado.ingestion.files.formats.lines import first_number, letter


@pytest.mark.parametrize(
    ("number", "written"),
    [(1, "a"), (26, "z"), (27, "aa"), (104, "zzzz"), (105, "105"), (0, "0"), (-3, "-3"), (10**12, "1000000000000")],
)
def test_letters(number, written):
    assert letter(number) == written


@pytest.mark.parametrize(
    ("written", "number"),
    [("3", 3), ("0", 0), ("999999", 999_999), ("1000000", 1), ("9" * 5000, 1), ("", 1), ("-2", 1), ("x", 1), ("٣", 1)],
)
def test_the_first_number_of_a_list(written, number):
    assert first_number(written) == number


@pytest.mark.parametrize(
    ("start", "mark"), [("3", "c)"), ("2000", "2000)"), ("999999999", "a)"), ("9" * 5000, "a)"), ("x", "a)")]
)
def test_a_list_in_html_begins_where_it_says_within_reason(tmp_path, start, mark):
    path = tmp_path / "a.html"
    path.write_text(f'<ol type="a" start="{start}"><li>Texto.</li></ol>', encoding="utf-8")
    assert read(path).pages[0].paragraphs == (f"{mark} Texto.",)
