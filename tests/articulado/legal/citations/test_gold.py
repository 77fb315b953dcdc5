import pytest

from articulado.legal.laws.registry import known_laws
from benchmarks.citations import WITH_PLACE, measure, read_gold


def test_the_gold_set_is_large_and_keeps_its_schema():
    rows = read_gold()
    citations = [citation for row in rows for citation in row["citations"]]
    assert len(citations) >= 200
    assert len({row["law"] for row in rows}) == 66
    assert {row["half"] for row in rows} == {"a", "b"}
    assert len({(row["law"], row["key"], row["paragraph"]) for row in rows}) == len(rows)
    for row in rows:
        assert set(row) == {"half", "law", "key", "paragraph", "hash", "citations"}
    for citation in citations:
        assert set(citation) == {"text", "law", "key", "apartado", "letter"}
        assert len(citation["text"].split()) <= 11
        assert citation["law"] is None or citation["law"] in known_laws()


@pytest.mark.parametrize("half", ["a", "b"])
def test_the_parser_finds_what_was_labelled_by_hand(real_laws, half):
    rows = [row for row in read_gold() if row["half"] == half]
    score = measure(rows, real_laws)
    assert score.precision >= 0.97
    assert score.recall >= 0.95
    strict = measure(rows, real_laws, WITH_PLACE)
    assert strict.precision >= 0.96
    assert strict.recall >= 0.94
