"""Files of arrays are read as NumPy reads them, without the parser of the interpreter."""

import ast

import numpy as np
import pytest

from articulado.values.arrays import UNREADABLE, map_array, open_arrays

ARRAYS = {
    "a number": np.float64(2.5),
    "rows": np.arange(6).reshape(2, 3),
    "columns": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "none": np.empty(0, np.int32),
    "no columns": np.empty((2, 0)),
    "texts": np.array(["día", "mes"]),
    "truths": np.array([True, False]),
    "named fields": np.zeros((), dtype=[("sum", "u4"), ("vectors", "<f4", (2, 3)), ("año", "i8", (1,))]),
    "many fields": np.zeros(3, dtype=[("low", "<f4", (2,)), ("high", "<f4")]),
}


def equal(found, wanted) -> bool:
    return found.dtype == wanted.dtype and found.shape == wanted.shape and bool((found == wanted).all())


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_are_read_as_they_were_written(tmp_path, name):
    wanted = np.asarray(ARRAYS[name])
    np.save(tmp_path / "one.npy", wanted)
    np.savez(tmp_path / "plain.npz", first=wanted, second=np.arange(2))
    np.savez_compressed(tmp_path / "small.npz", first=wanted)

    assert equal(map_array(tmp_path / "one.npy"), wanted)
    with open_arrays(tmp_path / "plain.npz") as arrays:
        assert set(arrays) == {"first", "second"}
        assert equal(arrays["first"], wanted)
    with open_arrays(tmp_path / "small.npz") as arrays:
        assert equal(arrays["first"], wanted)


def test_a_header_beyond_sixty_four_kilobytes_is_read(tmp_path):
    wanted = np.zeros(1, dtype=[(f"field_{number:06}", "u1") for number in range(4000)])
    with (tmp_path / "long.npy").open("wb") as stream:
        np.lib.format.write_array(stream, wanted, version=(2, 0))
    assert equal(map_array(tmp_path / "long.npy"), wanted)


def test_the_parser_of_the_interpreter_is_not_used(tmp_path, monkeypatch):
    np.save(tmp_path / "one.npy", np.arange(3))
    np.savez(tmp_path / "some.npz", first=np.arange(3))
    monkeypatch.delattr(ast, "parse")
    monkeypatch.delattr(ast, "literal_eval")

    assert map_array(tmp_path / "one.npy").tolist() == [0, 1, 2]
    with open_arrays(tmp_path / "some.npz") as arrays:
        assert arrays["first"].tolist() == [0, 1, 2]


def npy(header: bytes, version: int = 1) -> bytes:
    return b"\x93NUMPY" + bytes([version, 0]) + len(header).to_bytes(2, "little") + header + bytes(8)


DAMAGED = {
    "empty": b"",
    "other bytes": b"PK\x03\x04" + bytes(40),
    "no header": b"\x93NUMPY\x01\x00",
    "a cut header": npy(b"{'descr': '<f4', 'fort"),
    "a list": npy(b"[]"),
    "no shape": npy(b"{'descr': '<f4', 'fortran_order': True}"),
    "no type": npy(b"{'descr': '<q9', 'fortran_order': False, 'shape': (1,), }"),
    "too few values": npy(b"{'descr': '<f8', 'fortran_order': False, 'shape': (9,), }"),
    "objects": npy(b"{'descr': '|O8', 'fortran_order': False, 'shape': (1,), }"),
    "another version": npy(b"{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", version=9),
}


def test_a_written_header_is_read(tmp_path):
    (tmp_path / "one.npy").write_bytes(npy(b"{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }"))
    assert map_array(tmp_path / "one.npy").tolist() == [0.0]


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_files_raise_an_expected_error(tmp_path, name):
    (tmp_path / "one.npy").write_bytes(DAMAGED[name])
    with pytest.raises(UNREADABLE):
        map_array(tmp_path / "one.npy")


def test_damaged_archives_raise_an_expected_error(tmp_path):
    np.savez(tmp_path / "whole.npz", first=np.arange(300))
    whole = (tmp_path / "whole.npz").read_bytes()
    place = whole.index(np.arange(300).tobytes())
    (tmp_path / "flipped.npz").write_bytes(whole[:place] + b"\x01" + whole[place + 1 :])
    (tmp_path / "cut.npz").write_bytes(whole[: len(whole) // 2])

    for file in ("flipped.npz", "cut.npz", "missing.npz"):
        with pytest.raises(UNREADABLE), open_arrays(tmp_path / file) as arrays:
            arrays["first"]
    with pytest.raises(UNREADABLE), open_arrays(tmp_path / "whole.npz") as arrays:
        arrays["second"]
