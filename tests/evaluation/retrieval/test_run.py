"""Runs: the TREC file that we write, and the one that we read."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.values.errors import InvalidInput
from evaluation.retrieval.run import Ranked, read_trec, write_trec

ET, CE = "BOE-A-2015-11430", "BOE-A-1978-31229"


def test_one_row_a_provision_as_other_evaluators_read_it(tmp_path):
    run = {
        "q1": [Ranked((ET, "Artículo 48 bis"), 2.5), Ranked((CE, "Disposición final"), 2.5), Ranked((ET, "38"), 0.0)],
        "q2": [],
        "q3": [Ranked((ET, "Artículo 1"), 0.125)],
    }
    write_trec(run, tmp_path / "a.trec", "mi sistema")
    assert (tmp_path / "a.trec").read_text(encoding="utf-8").splitlines() == [
        f"q1 Q0 {ET}#Artículo_48_bis 1 2.500000 mi_sistema",
        f"q1 Q0 {CE}#Disposición_final 2 2.499999 mi_sistema",
        f"q1 Q0 {ET}#38 3 0.000000 mi_sistema",
        f"q3 Q0 {ET}#Artículo_1 1 0.125000 mi_sistema",
    ]


law_ids = st.text("BOEA0123456789-_", min_size=1, max_size=8)
labels = st.lists(st.text("aÁñ1.ªº()", min_size=1, max_size=4), min_size=1, max_size=3).map(" ".join)
scores = st.floats(0, 3)
rankings = st.lists(st.tuples(law_ids, labels, scores), max_size=30, unique_by=lambda row: (row[0], row[1].lower()))


@given(rankings)
def test_a_written_run_is_read_in_the_same_order(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("run") / "a.trec"
    ranking = sorted((Ranked((law, label), score) for law, label, score in rows), key=lambda one: -one.score)
    # A run with nothing in it is refused when read, hence the second question.
    write_trec({"q": ranking, "otra": [Ranked((ET, "Artículo 1"), 1.0)]}, path, "t")
    read = read_trec(path).get("q", [])
    places = {one.provision: at for at, one in enumerate(ranking)}
    # Spellings of one provision ("1" and "1.") become one when a run is read.
    assert [one.provision for one in read] == sorted((one.provision for one in read), key=places.__getitem__)
    written = [float(line.split()[4]) for line in path.read_text(encoding="utf-8").splitlines() if line[:2] == "q "]
    assert len(written) == len(ranking)
    assert (np.diff(np.float32(written)) < 0).all()


def test_a_foreign_run_is_put_in_order_of_score_then_rank(tmp_path):
    path = tmp_path / "otro.trec"
    path.write_text(
        f"q Q0 {ET}#Artículo_2 3 0.5 x\nq\tQ0\t{ET}#Art._1\t1\t0.5\tx\n\nq Q0 {ET}#Artículo_3 2 9e-1 x\n"
        f"q Q0 {ET}#Artículo_1 9 0.1 x\nq Q0 mi_ley#Anexo_I 10 -1 x\n",
        encoding="utf-8",
    )
    assert read_trec(path) == {
        "q": [
            Ranked((ET, "Artículo 3"), 0.9),
            Ranked((ET, "Art. 1"), 0.5),
            Ranked((ET, "Artículo 2"), 0.5),
            Ranked(("mi_ley", "Anexo I"), -1.0),
        ]
    }


@pytest.mark.parametrize(
    "row",
    ["q Q0 x 1 0.5", f"q Q0 {ET}#Artículo 1 1 0.5 x", f"q Q0 {ET}#A uno 0.5 x", f"q Q0 {ET}#A 1 nan x", "q Q0 A 1 1 x"],
)
def test_an_invalid_row_is_named(tmp_path, row):
    path = tmp_path / "otro.trec"
    path.write_text(f"q Q0 {ET}#A 1 0.5 x\n{row}\n", encoding="utf-8")
    with pytest.raises(InvalidInput) as told:
        read_trec(path)
    assert str(told.value).startswith(f"{path}, línea 2: se esperaba ")


def test_files_that_cannot_be_used_are_told(tmp_path):
    (tmp_path / "vacio").write_text("\n")
    (tmp_path / "binario").write_bytes(b"\xff")
    for path, said in (
        (tmp_path / "vacio", "está vacío"),
        (tmp_path / "binario", "no está en UTF-8"),
        (tmp_path / "falta", "No se puede leer"),
    ):
        with pytest.raises(InvalidInput, match=said):
            read_trec(path)
    with pytest.raises(InvalidInput, match="No se puede escribir"):
        write_trec({}, Path(tmp_path) / "falta" / "a.trec", "t")
