"""Chunks that were read before: those of the day, and no more than there is room for."""

from datetime import date

from support.doubles import make_chunk

from articulado.store.layout import ChunkCache

TODAY, TOMORROW = date(2026, 1, 1), date(2026, 1, 2)
ONE, TWO, THREE = (make_chunk(number) for number in (1, 2, 3))


def kept(*chunks, capacity=2):
    cache = ChunkCache(capacity)
    cache.get([], TODAY)
    for chunk in chunks:
        cache.put([chunk], TODAY)
    return cache


def test_cached_chunks_are_found_by_id():
    assert kept(ONE, TWO).get([2, 3], TODAY) == {2: TWO}


def test_the_least_recently_used_chunk_goes_first():
    cache = kept(ONE, TWO)
    cache.get([1], TODAY)
    cache.put([THREE], TODAY)
    assert cache.get([1, 2, 3], TODAY) == {1: ONE, 3: THREE}


def test_a_new_day_empties_the_cache():
    cache = kept(ONE)
    assert cache.get([1], TOMORROW) == {}
    cache.put([ONE], TODAY)
    assert cache.get([1], TOMORROW) == {}
