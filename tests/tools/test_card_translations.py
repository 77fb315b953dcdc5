"""Stamps of cards in English: faultless ones get one, and every fault is listed at once."""

import pytest

from articulado.guides.cards import FOLDER, packaged_cards
from articulado.guides.translations import digest_of
from tools.wordings import stamp_translations

ID = "holidays/how_many_days"
DIGEST = digest_of(packaged_cards()[ID])
STAMP = f'written_against = "{DIGEST}"\n'


@pytest.fixture
def written(tmp_path):
    """Write the packaged file with changes, and return it."""

    def write(*changes):
        text = (FOLDER / "en" / "holidays.toml").read_text("utf-8")
        _, _, rest = text.partition(f'id = "{ID}"\n')
        card = rest.partition("\n[[card]]")[0].rstrip()
        text = f'[[card]]\nid = "{ID}"\n{card}\n'
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        file = tmp_path / "en" / "holidays.toml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, "utf-8")
        return file

    return write


def test_a_faultless_card_is_stamped_with_the_digest_of_its_spanish_text(written, tmp_path):
    file = written((STAMP, ""))
    assert stamp_translations(tmp_path) == []
    assert f'id = "{ID}"\n{STAMP}need = ' in file.read_text("utf-8")


def test_a_stamped_card_stays_as_it_is(written, tmp_path):
    file = written()
    before = file.read_text("utf-8")
    assert stamp_translations(tmp_path) == []
    assert file.read_text("utf-8") == before


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ([(STAMP, ""), ("22 working days for each full year", "23 working days for each full year")], "figures 23"),
        ([(STAMP, ""), ('deadline = "You', 'risk = "You')], "deadline"),
        ([(DIGEST, "0" * 16)], "the Spanish text has changed"),
        ([(STAMP, ""), (ID, "holidays/no_such_card")], "no such card"),
    ],
)
def test_a_card_with_a_fault_is_listed_and_not_stamped(written, tmp_path, changes, fault):
    file = written(*changes)
    before = file.read_text("utf-8")
    [told] = stamp_translations(tmp_path)
    assert told.startswith("holidays.toml: holidays/")
    assert fault in told
    assert file.read_text("utf-8") == before
