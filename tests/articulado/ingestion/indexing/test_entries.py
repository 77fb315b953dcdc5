"""What is searched for each parent: which texts, and when a point counts as changed."""

from support.doubles import make_chunk

from articulado.ingestion.indexing.changes import entries_of

PARENT = make_chunk(7, "Artículo 38", title="Vacaciones", breadcrumb="TÍTULO I", law_name="ET", text="Treinta días.")


def entries(parent=PARENT, spoken="", kind="breadcrumb", sentences=None):
    return list(entries_of([parent], {7: spoken} if spoken else {}, kind, sentences or {}))


def test_words_are_counted_in_the_parent_and_the_children_are_embedded():
    parent, child = entries()
    assert (parent.chunk["id"], parent.dense) == (7, "")
    assert "Treinta días." in parent.sparse
    assert (child.chunk["parent_id"], child.sparse) == (7, "")
    assert child.dense == "ET\nTÍTULO I\nArtículo 38. Vacaciones\nTreinta días."


def test_lay_phrasings_are_searchable_and_form_a_child():
    parent, text, words = entries(spoken="¿cuándo libro?")
    assert parent.sparse.endswith("\n¿cuándo libro?")
    assert "libro" not in text.dense
    assert (words.chunk["parent_id"], words.chunk["text"]) == (7, "¿cuándo libro?")
    assert words.dense.endswith("\n¿cuándo libro?")
    assert words.chunk["id"] != text.chunk["id"]


def test_context_depends_on_the_setting():
    assert entries(kind="none")[1].dense == "Treinta días."
    child = entries()[1].chunk["id"]
    assert entries(kind="reader", sentences={child: "Fija las vacaciones."})[1].dense.endswith(
        "Vacaciones\nFija las vacaciones.\nTreinta días."
    )


def hashes(*given, **more):
    return [entry.chunk["content_hash"] for entry in entries(*given, **more)]


def test_hash_of_a_point_covers_content_and_search_text():
    parent, child = hashes()
    assert hashes() == [parent, child]
    assert hashes({**PARENT, "refs": [1]})[0] != parent
    assert hashes({**PARENT, "refs": [1]})[1] == child, "references are the parent's alone"
    assert hashes({**PARENT, "status": "modificada"})[1] != child, "children are filtered by it"
    assert hashes(spoken="¿cuándo libro?")[:2][0] != parent
    assert hashes(kind="none") == [parent, hashes(kind="none")[1]]
    assert hashes(kind="none")[1] != child
