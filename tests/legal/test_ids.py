from hypothesis import given
from hypothesis import strategies as st

from legal.ids import chunk_id
from state.chunks import MAX_CHUNK_ID


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
