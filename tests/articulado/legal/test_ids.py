from hypothesis import given
from hypothesis import strategies as st
from support.chunks import make_chunk

from articulado.legal.ids import chunk_id, nearest_part_ids
from articulado.values.chunks import MAX_CHUNK_ID


def test_an_id_never_changes():
    assert chunk_id("normativa", "BOE-A-2015-11430", "art:38", "2015-10-24", 1) == EXPECTED


# Worked out with b2sum -l 64 on the fields parted by 0x1f, the lowest 53 bits.
EXPECTED = 8278497729255593


@given(st.text(), st.text(), st.text(), st.none() | st.text(), st.integers(1, 99), st.integers(0, 99))
def test_an_id_fits_in_javascript(collection, law_id, label, valid_from, part, child):
    assert 0 <= chunk_id(collection, law_id, label, valid_from, part, child) <= MAX_CHUNK_ID


def test_every_field_counts():
    base = ("normativa", "BOE-A-2015-11430", "art:38", "2015-10-24", 1, 0)
    others = [
        ("sentencias", *base[1:]),
        (base[0], "BOE-A-2015-11724", *base[2:]),
        (*base[:2], "art:39", *base[3:]),
        (*base[:3], None, *base[4:]),
        (*base[:4], 2, 0),
        (*base[:5], 1),
    ]
    assert len({chunk_id(*fields) for fields in [base, *others]}) == 7


def test_the_nearest_parts_are_those_of_the_same_wording():
    chunk = make_chunk(1, part=2, parts=3)
    of_wording = (chunk["collection"], chunk["law_id"], chunk["provision_key"], chunk["valid_from"])
    assert nearest_part_ids(chunk) == [chunk_id(*of_wording, 1), chunk_id(*of_wording, 3)]
