"""For whom, where and when an agreement is, as its title and its articles say; the agreements are made up."""

from datetime import date

import pytest

from articulado.legal.agreements.names import agreement_name, ended_note, read_validity, validity_of
from articulado.legal.agreements.scope import is_agreement_title, no_scope, read_scope, read_title

OTHER_WORDINGS = [
    (
        "CONVENIO COLECTIVO PROVINCIAL DE TRABAJO DEL SECTOR DE LA CESTERÍA DE TERUEL",
        "Su vigencia será del 1 de enero de 2024 al 31 de diciembre de 2026.",
        {"sector": "cestería", "community": "Aragón", "province": "Teruel"},
        ("2024-01-01", "2026-12-31"),
    ),
    (
        "Publicación del convenio colectivo del sector CESTERÍA DE LA PROVINCIA DE TERUEL",
        "",
        {"sector": "cestería", "community": "Aragón", "province": "Teruel"},
        (None, None),
    ),
    (
        "II CONVENIO COLECTIVO PROVINCIAL DE EMPRESAS DE PANADERÍA Y PASTELERÍA DE TERUEL",
        "El presente convenio entrará en vigor el 1 de abril de 2022, cualquiera que sea la fecha de su publicación, y "
        "su duración será de cuatro años.",
        {"sector": "panadería y pastelería", "community": "Aragón", "province": "Teruel"},
        ("2022-04-01", "2026-03-31"),
    ),
    (
        "Convenio Colectivo de la empresa Áridos del Jalón, S.A., para sus centros de trabajo en Zaragoza y Huesca",
        "Su vigencia se extenderá durante los años 2024, 2025 y 2026.",
        {"company": "Áridos del Jalón, S.A.", "community": "Aragón"},
        ("2024-01-01", "2026-12-31"),
    ),
    (
        "Convenio colectivo de ámbito estatal para las industrias del corcho artificial (código 99000001011985)",
        "La vigencia general del convenio se fija desde el día de su firma hasta el 30/06/2027.",
        {"sector": "industrias del corcho artificial", "statewide": True},
        (None, "2027-06-30"),
    ),
    (
        "Resolución de 4 de marzo de 2025, de la Delegación Territorial, por la que se registra y publica el Convenio "
        "Colectivo del Comercio de la Piel y el Calzado de Galicia",
        "El ámbito temporal comprende del 1 de enero al 31 de diciembre de 2025, prorrogándose tácitamente de año en "
        "año salvo denuncia.",
        {"sector": "comercio de la piel y el calzado", "community": "Galicia"},
        ("2025-01-01", "2025-12-31"),
    ),
    (
        "Convenio colectivo del personal laboral del Ayuntamiento de Villaseca del Olmo",
        "El convenio entrará en vigor al día siguiente de su publicación. Los efectos económicos se retrotraen al 1 de "
        "enero de 2024. Tendrá una duración de tres años.",
        {"company": "Ayuntamiento de Villaseca del Olmo"},
        (None, None),
    ),
]


@pytest.mark.parametrize(("title", "validity", "scope", "days"), OTHER_WORDINGS)
def test_reads_scope_and_days_from_title_and_validity_article(title, validity, scope, days):
    expected = {**no_scope(), **scope, "first_day": days[0], "last_day": days[1]}
    assert read_scope(title, [("Vigencia", validity), ("Jornada", "Rige desde el 1 de mayo de 2030.")]) == expected


def test_articles_say_what_the_title_does_not():
    articles = [
        ("Ámbito funcional", "Se aplica a las empresas del sector de la cestería de mimbre, sea cual sea su tamaño."),
        ("Ámbito territorial", "Rige en toda la provincia de Lugo, aunque la sede de la empresa esté en Madrid."),
        ("Denuncia y prórroga", "Podrá denunciarse dos meses antes del 31 de diciembre de 2026."),
    ]
    expected = {**no_scope(), "sector": "cestería de mimbre", "community": "Galicia", "province": "Lugo"}
    assert read_scope("Convenio colectivo", articles) == expected
    of_two = [("Ámbito territorial", "Rige en la provincia de Lugo y en la provincia de León.")]
    assert read_scope("Convenio colectivo", of_two)["community"] is None, "two communities: neither is guessed"


def test_the_days_of_the_article_go_before_the_years_of_the_title():
    title = "Convenio colectivo de limpieza de escaparates de León 2024-2026"
    assert validity_of(read_title(title)) == "2024-2026"
    scope = read_scope(title, [("Vigencia", "Rige del 1 de abril de 2024 al 31 de marzo de 2026.")])
    assert (scope["first_day"], scope["last_day"], scope["province"]) == ("2024-04-01", "2026-03-31", "León")


def test_the_day_of_an_end_is_not_that_of_a_beginning():
    said = (
        "Entra en vigor al publicarse, con efectos económicos de 1 de enero de 2024. Su vigencia termina el 31/12/2026."
    )
    validity = read_validity(said)
    assert (validity.first, str(validity.last)) == (None, "2026-12-31")


@pytest.mark.parametrize(
    ("title", "is_one"),
    [
        ("IV Convenio colectivo estatal del sector de la cestería", True),
        ("Tablas salariales 2024 del convenio colectivo de cestería", True),
        ("Guía del convenio colectivo de cestería", False),
        ("Criterio sobre la ultraactividad del convenio colectivo", False),
    ],
)
def test_agreements_by_their_title(title, is_one):
    assert is_agreement_title(title) is is_one


def test_names_and_days_as_they_are_cited():
    title = "CONVENIO COLECTIVO DE HOSTELERÍA DE SEVILLA, VIGENCIA 1 DE ENERO DE 2023 A 31 DE DICIEMBRE DE 2025"
    scope = read_title(title)
    assert agreement_name(scope, title) == "Convenio colectivo de hostelería (Sevilla)"
    assert validity_of(scope) == "2023-2025"
    tables = "Tablas salariales 2024 del convenio colectivo de cestería de Bizkaia"
    assert agreement_name(read_title(tables), tables) == tables
    assert agreement_name(no_scope(), "Convenio sin más") == "Convenio sin más"


def test_an_agreement_goes_on_applying_after_its_agreed_validity():
    scope = {**no_scope(), "last_day": "2023-12-31"}
    assert ended_note(scope, date(2023, 12, 31)) == ""
    assert ended_note(scope, date(2024, 1, 1)) == (
        "Vigencia pactada hasta el 31 de diciembre de 2023; puede seguir aplicándose."
    )
