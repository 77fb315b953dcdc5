import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.ingestion.markdown.body import inside_quotations
from articulado.ingestion.markdown.reader import read_law

FRONT = '---\ntitle: "Ley"\nidentifier: "BOE-A-2000-1"\nrank: "ley"\npublication_date: "2000-01-02"\n---\n'


@pytest.mark.parametrize(
    ("paragraphs", "inside"),
    [
        ([], ""),
        (["uno", "«dos»", "tres"], "..."),
        (["«uno", "dos", "tres»", "cuatro"], ".xx."),
        (["«uno «dos", "tres»", "cuatro»", "cinco"], ".xx."),
        (["uno «dos", "tres", "cuatro"], "..."),
        # A slip, and below it quotations that close.
        (["uno «dos", "«tres", "cuatro»", "«cinco»", "seis"], "..x.."),
        (["uno»", "«dos", "tres»"], "..x"),
    ],
)
def test_paragraphs_inside_a_quotation(paragraphs, inside):
    assert inside_quotations(paragraphs) == [one == "x" for one in inside]


@given(st.lists(st.text("«» a", max_size=6), max_size=12))
def test_a_text_without_a_closing_mark_quotes_nothing(paragraphs):
    assert len(inside_quotations(paragraphs)) == len(paragraphs)
    assert not any(inside_quotations([one.replace("»", "") for one in paragraphs]))


def test_unclosed_quotation_swallows_no_article(tmp_path):
    path = tmp_path / "ley.md"
    articles = [
        "Es «jornada la que figure.",
        "Se modifica así:\n\n##### «Artículo 8.\n\n##### Artículo 9.\n\nX.»",
        "Z.",
    ]
    body = "".join(f"##### Artículo {number}.\n\n{text}\n\n" for number, text in enumerate(articles, start=1))
    path.write_text(FRONT + body, encoding="utf-8")
    assert [one.key for one in read_law(path).provisions] == ["art:1", "art:2", "art:3"]
