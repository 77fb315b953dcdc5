import pytest

from articulado.language.spanish import stems
from articulado.legal.domain.base import EqualWeights, Lexicon
from articulado.values.errors import IndexMissing


def test_idf_goes_from_0_for_a_stem_of_every_text_to_1_for_one_of_none():
    lexicon = Lexicon.build(["vacaciones y despido", "despido", "despidos, despidos"], stems)
    assert lexicon.frequencies == {"desped": 3, "vacacion": 1}
    assert lexicon.idf("desped") == 0
    assert lexicon.idf("vacacion") == 0.5  # ln(4/2) / ln 4
    assert lexicon.idf("huelg") == 1


def test_an_empty_lexicon_weighs_all_alike():
    assert Lexicon.build([], stems).idf("x") == EqualWeights().idf("x") == 1


def test_the_lexicon_is_stored_in_a_stable_order(tmp_path):
    lexicon = Lexicon.build(["b a", "a c"], stems)
    lexicon.save(tmp_path)
    loaded = Lexicon.load(tmp_path)
    assert list(loaded.frequencies) == ["b", "c"]  # "a" is a stop word; ties in alphabetical order
    assert loaded.digest == lexicon.digest


def test_a_damaged_lexicon_is_a_missing_index(tmp_path):
    (tmp_path / "lexicon.json").write_text('{"texts": 3}', encoding="utf-8")
    with pytest.raises(IndexMissing, match="dañado"):
        Lexicon.load(tmp_path)
