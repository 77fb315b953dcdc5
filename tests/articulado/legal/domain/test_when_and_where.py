"""What a question says of day and place chooses the law, and does not count against it."""

from datetime import date

import pytest

from articulado.language.spanish import stems
from articulado.legal.domain.base import Coverage, Lexicon
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.legal.reading import read

TEXTS = ["vacaciones anuales retribuidas", "despido improcedente", "jornada de trabajo", "bonificaciones en Melilla"]
TODAY = date(2026, 7, 1)
WEIGHTS = Lexicon.build(TEXTS, stems)


def covered(question: str, text: str) -> float:
    return Coverage(SPANISH_LAW.concepts(question, WEIGHTS), WEIGHTS)(dict.fromkeys(stems(text), 1.0))


@pytest.mark.parametrize("aside", [" en 2019", " antes de la reforma laboral", " el 3/3/22", " a finales de 2012"])
def test_days_do_not_weigh_in_concepts(aside):
    assert covered(f"vacaciones anuales{aside}", TEXTS[0]) == covered("vacaciones anuales", TEXTS[0]) == 1.0
    assert read(f"vacaciones anuales{aside}", TODAY).topic == "vacaciones anuales"


def test_a_place_costs_little_and_still_finds_the_law_that_names_it():
    assert covered("vacaciones anuales en Sevilla", TEXTS[0]) > 0.9
    assert covered("bonificaciones en Melilla", TEXTS[3]) == 1.0
    assert covered("vacaciones anuales en Melilla", "vacaciones anuales en Melilla") > covered(
        "vacaciones anuales en Melilla", TEXTS[0]
    )


def test_a_surname_is_a_word_as_any_other():
    assert covered("vacaciones de mi jefe León", TEXTS[0]) < 0.9


def test_a_question_that_is_but_a_date_stays():
    assert read("en 2019", TODAY).topic == "en 2019"
