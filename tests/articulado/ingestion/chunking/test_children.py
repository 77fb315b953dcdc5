"""Children: small, whole sentences, and nothing of the parent lost."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.doubles import make_chunk

from articulado.ingestion.chunking.chunks import MAX_CHILD, OVERLAP, children_of

TEXTS = st.lists(
    st.text(alphabet="abc de.;,:\n«»()ñ1", max_size=400).map(str.strip).filter(bool), min_size=1, max_size=12
).map("\n\n".join)


def test_sentences_are_kept_whole_and_the_last_words_repeated():
    sentences = [
        f"La frase número {n} de este precepto ocupa unas noventa letras, y ni una más de las debidas."
        for n in range(7)
    ]
    parent = make_chunk(7, text=" ".join(sentences), parts=3, part=2)
    children = list(children_of(parent))
    assert [child["text"] for child in children] == [
        " ".join(sentences[:3]),
        "este precepto ocupa unas noventa letras, y ni una más de las debidas."[-OVERLAP:].split(" ", 1)[1]
        + " "
        + " ".join(sentences[3:6]),
        "este precepto ocupa unas noventa letras, y ni una más de las debidas."[-OVERLAP:].split(" ", 1)[1]
        + " "
        + sentences[6],
    ]


def test_child_has_the_metadata_of_its_parent():
    parent = make_chunk(
        7, text="Uno. " * 100, refs=[1], notes=["Se añade."], status="modificada", valid_from="2001-01-01"
    )
    one, two = children_of(parent)
    assert len({parent["id"], one["id"], two["id"]}) == 3
    own = {"id", "text", "parent_id", "parent_content", "strategy", "refs", "notes"}
    for child in (one, two):
        assert (child["parent_id"], child["parent_content"]) == (7, parent["text"])
        assert child["strategy"] == "small_to_big_contextual"
        assert (child["refs"], child["notes"]) == ([], [])
        assert {name: child[name] for name in child.keys() - own} == {
            name: parent[name] for name in parent.keys() - own
        }
    assert [child["id"] for child in children_of(parent)] == [one["id"], two["id"]], "stable"


def test_a_short_text_is_one_child():
    [only] = children_of(make_chunk(7, text="Treinta días."))
    assert only["text"] == "Treinta días."


@given(TEXTS)
def test_children_cover_the_text_within_the_limit(text):
    children = list(children_of(make_chunk(7, text=text)))
    assert len({child["id"] for child in children}) == len(children)
    rest = re.sub(r"\s+", "", text)
    for child in children:
        assert len(child["text"]) <= MAX_CHILD + 1 + OVERLAP
        written = re.sub(r"\s+", "", child["text"])
        # Behind at most the repeated words comes what the parent goes on with.
        goes_on = next(at for at in range(len(written) + 1) if rest.startswith(written[at:]))
        assert goes_on <= OVERLAP
        rest = rest[len(written) - goes_on :]
    assert rest == ""


@pytest.mark.parametrize(
    ("wording", "kept"), [({"tracked": True, "last_day": "exact"}, {"last_day": "exact"}), ({}, {})]
)
def test_a_child_of_a_superseded_wording_can_be_told_from_repealed_law(wording, kept):
    """Without its last day a search would find it, and show a wording that is law no more."""
    parent = make_chunk(1, text="Uno. " * 100, valid_to="2020-01-01", wording=wording)
    assert {str(child["wording"]) for child in children_of(parent)} == {str(kept)}
