"""Decimals are marked as the language that is spoken marks them, in messages and on screen."""

import pytest

from articulado.language.formats import written
from articulado.language.translation import translate, use_locale


@pytest.mark.parametrize(("code", "text"), [("es", "debe ser 0,5 o más"), ("en", "must be 0.5 or more")])
def test_a_message_has_the_decimals_of_its_language(code, text):
    with use_locale(code):
        assert translate("profile.at_least", least=0.5) == text


def test_a_whole_number_of_a_message_and_what_is_typed_stay_as_they_are():
    assert translate("command.out_of_range", option="--limit", minimum=1, maximum=20000, value="2.5") == (
        "--limit debe ser un número entre 1 y 20000, no «2.5»."
    )


def test_a_named_language_prevails_over_the_current_one():
    with use_locale("en"):
        assert (written(1234.5, 1), written(1234.5, 1, "es")) == ("1,234.5", "1.234,5")
