"""What is seldom the rule that is asked about comes later: factors by kind of provision and by regime."""

import pytest
from support.doubles import make_chunk

from articulado.legal.vocabulary.matters import prior

ASKED = "¿cuántas vacaciones me tocan al año?"
STATUTE, HOUSEHOLD, SELF_EMPLOYED = "BOE-A-2015-11430", "BOE-A-2011-17975", "BOE-A-2007-13409"
EQUALITY, SOCIAL_SECURITY = "BOE-A-2007-6115", "BOE-A-2015-11724"


def factor(question=ASKED, **fields):
    return prior(question, make_chunk(1, **{"law_id": STATUTE, "provision_key": "art:1", **fields}))


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("art:38", 1.0),
        ("da:7", 1.0),
        ("anexo:1", 1.0),
        ("dt:4", 0.85),
        ("df:unica", 0.8),
        ("dd:unica", 0.8),
        ("sts-1-2020", 1.0),
        ("dtx:1", 1.0),
    ],
)
def test_transitional_final_and_derogatory_dispositions_come_later(key, expected):
    assert factor(provision_key=key) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Modificación de la Ley 1/2000", 0.5),
        ("Modificaciones del Estatuto", 0.5),
        ("Efectos de la modificación sustancial de condiciones", 1.0),
        ("", 1.0),
    ],
)
def test_a_provision_that_amends_another_law_comes_later(title, expected):
    assert factor(title=title) == expected


def test_general_statutes_come_before_other_laws_and_what_is_no_known_law_is_left_alone():
    assert factor(law_id=STATUTE) == 1.0
    assert factor(law_id=EQUALITY) == 0.85
    assert factor(law_id="ECLI:ES:TS:2020:1") == 1.0


@pytest.mark.parametrize("law", [HOUSEHOLD, SELF_EMPLOYED])
def test_a_special_regime_comes_later_even_where_its_law_is_a_general_statute(law):
    assert factor(law_id=law) == 0.85


def test_naming_the_regime_lifts_the_damping_of_that_regime_alone():
    question = "vacaciones de una empleada de hogar"
    assert factor(question, law_id=HOUSEHOLD) == 1.0
    assert factor(question, law_id=SELF_EMPLOYED) == 0.85
    assert factor("vacaciones de un autónomo", law_id=SELF_EMPLOYED) == 1.0


def test_a_chapter_of_a_general_law_on_a_special_regime_comes_later():
    chapter = {
        "law_id": SOCIAL_SECURITY,
        "breadcrumb": "CAPÍTULO XVIII. Sistemas Especiales para Empleados de Hogar y para Trabajadores por Cuenta "
        "Ajena Agrarios > Sección 2.ª Sistema especial para trabajadores por cuenta ajena agrarios",
    }
    assert factor(**chapter) == 0.85
    assert factor("¿cuánto cotiza un jornalero?", **chapter) == 1.0
    assert factor("¿cuánto cotiza una empleada de hogar?", **chapter) == 0.85
    assert (
        factor(law_id=SOCIAL_SECURITY, breadcrumb="TÍTULO II. Régimen General > CAPÍTULO V. Incapacidad temporal")
        == 1.0
    )


def test_a_chapter_on_a_named_regime_is_not_damped_in_a_law_that_is_not_general_either():
    chapter = {"law_id": EQUALITY, "breadcrumb": "TÍTULO V. El principio de igualdad en el empleo público > CAPÍTULO I"}
    assert factor("permiso de paternidad de un funcionario", **chapter) == 1.0
    assert factor(**chapter) == 0.85


def test_factors_are_multiplied():
    prior_of_all = factor(
        law_id=HOUSEHOLD, provision_key="df:2", title="Modificación del Reglamento General de Cotización"
    )
    assert prior_of_all == pytest.approx(0.8 * 0.85 * 0.5)
