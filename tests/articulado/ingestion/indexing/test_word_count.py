"""Words of the texts of an index, as they are spelt, counted document by document."""

from support.chunks import make_chunk

from articulado.config.profile import load_profile
from articulado.ingestion.indexing.changes import Entry, WordStatistics
from articulado.legal.domain.base import WordCount
from articulado.legal.domain.spanish_law import SPANISH_LAW


def entry(text, phrasings=""):
    return Entry(make_chunk(1), sparse=f"{text}\n{phrasings}" if phrasings else text, lay_phrasings=phrasings)


def counted(*entries):
    return WordStatistics(load_profile("laboral"), SPANISH_LAW).of(entries)


def test_lay_phrasings_are_not_counted():
    count = counted(entry("Las vacaciones y la nómina", "vacasiones"), entry("vacaciones de 30 días"))
    assert count.words == {"las": 1, "vacaciones": 2, "y": 1, "la": 1, "nómina": 1, "de": 1, "días": 1}
    assert "vacasion" in count.frequencies


def test_removed_document_is_subtracted_from_the_counts():
    first, second = counted(entry("la nómina")), counted(entry("la jornada"))
    count = WordCount()
    for each in (first, second):
        count.add(each)
    count.subtract(WordCount.loads(first.dumps()))
    assert +count.words == {"la": 1, "jornada": 1}


def test_word_count_of_an_older_index_is_empty():
    assert WordCount(2, {"nomin": 2}).words == {}
