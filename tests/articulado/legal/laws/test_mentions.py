from datetime import date

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from articulado.legal.laws.mentions import find_law, law_mentions
from articulado.legal.laws.registry import known_laws, law_in_force_on, laws_by_name, name_key, spellings

ET, LGSS, LISOS = "BOE-A-2015-11430", "BOE-A-2015-11724", "BOE-A-2000-15060"


@pytest.mark.parametrize(
    ("name", "law_id"),
    [
        ("ET", ET),
        ("et", ET),
        ("el Estatuto de los Trabajadores", ET),
        ("ESTATUTO DE LOS TRABAJADORES", ET),
        ("texto refundido de la Ley del Estatuto de los Trabajadores", ET),
        ("RDLeg 2/2015", ET),
        ("Real Decreto Legislativo 2/2015, de 23 de octubre", ET),
        ("LGSS", LGSS),
        ("la ley general de la seguridad social", LGSS),
        ("LGSS de 1994", "BOE-A-1994-14960"),
        ("Ley General de la Seguridad Social de 1994", "BOE-A-1994-14960"),
        ("Real Decreto Legislativo 1/1995", "BOE-A-1995-7730"),
        ("RDL 5/2000", LISOS),
        ("LISOS", LISOS),
        ("RDL 32/2021", "BOE-A-2021-21788"),
        ("Reglamento General de Cotizacion", "BOE-A-1996-1579"),
        ("decreto de alta dirección", "BOE-A-1985-17006"),
        ("Constitución", "BOE-A-1978-31229"),
        ("CE", "BOE-A-1978-31229"),
        ("TREBEP", "BOE-A-2015-11719"),
        ("EBEP", "BOE-A-2015-11719"),
        ("ley del teletrabajo", "BOE-A-2021-11472"),
        ("ley de huelga", "BOE-A-1977-6061"),
        ("Ley 36/2011, de 10 de octubre", "BOE-A-2011-15936"),
        ("Ley 31/95", "BOE-A-1995-24292"),
        ("L.O. 11/1985", "BOE-A-1985-16660"),
        ("Orden PJC/297/2026", "BOE-A-2026-7296"),
        ("jornadas especiales de trabajo", "BOE-A-1995-21346"),
        ("BOE-A-2015-11430", ET),
        ("E.T.", ET),
        ("L. G. S. S.", LGSS),
        ("ley general seguridad social", LGSS),
        ("Ley Gral. de la Seg. Social", LGSS),
        ("R.D. de alta dirección", "BOE-A-1985-17006"),
        ("rd empleadas de hogar", "BOE-A-2011-17975"),
        ("decreto de las empleadas del hogar", "BOE-A-2011-17975"),
        ("RDL de bonificaciones", "BOE-A-2023-625"),
        ("Ley 31 de 1995", "BOE-A-1995-24292"),
    ],
)
def test_finds_a_law_by_any_of_its_names(name, law_id):
    law = find_law(name)
    assert law is not None
    assert law.id == law_id


@pytest.mark.parametrize(
    "name",
    [
        "RETA",
        "Código Civil",
        "Ley General Tributaria",
        "Ley 8/1980, de 10 de marzo, del Estatuto de los Trabajadores",
        "Real Decreto 2/2015",
        "Ley de Empleo de Galicia",
        "orden de cotización para 2024",
        "trabajo",
        "",
    ],
)
def test_ambiguous_names_give_no_law(name):
    assert find_law(name) is None


def test_the_number_that_approves_decides():
    text = "el texto refundido de la Ley General de la Seguridad Social, aprobado por el RDLeg 1/1994, de 20 de junio,"
    (mention,) = law_mentions(text)
    assert mention.law_id == "BOE-A-1994-14960"
    assert text[mention.start : mention.end].startswith("texto refundido")
    assert text[mention.start : mention.end].endswith("20 de junio")


def test_a_community_regulation_is_not_the_constitution():
    assert law_mentions("el Reglamento (CE) n.º 883/2004 y la Directiva 2006/54/CE") == []


def test_an_acronym_in_small_letters_is_weak():
    assert [mention.weak for mention in law_mentions("según el et y la LGSS")] == [True, False]


def test_a_name_in_an_old_text_is_the_law_of_that_day():
    lgss = known_laws()[LGSS]
    assert law_in_force_on(lgss, date(1996, 1, 25)).id == "BOE-A-1994-14960"
    assert law_in_force_on(lgss, date(1985, 4, 2)) is None
    assert law_in_force_on(lgss, None) is lgss
    # The Estatuto de los Trabajadores kept its numbers.
    assert law_in_force_on(known_laws()[ET], date(1985, 8, 12)).id == ET
    # "Ley de Empleo" was another law.
    assert law_in_force_on(known_laws()["BOE-A-2023-5365"], date(2015, 10, 31)) is None


def test_no_name_means_two_laws():
    names = {
        (name_key(spelling), law.id)
        for law in known_laws().values()
        for name in law.names
        for spelling in spellings(name)
    }
    assert len({name for name, _ in names}) == len(names) == len(laws_by_name())


def test_a_longer_name_is_an_unknown_law():
    assert [mention.law_id for mention in law_mentions("la ley de empleo público y la ley de empleo")] == [
        None,
        "BOE-A-2023-5365",
    ]


def test_prose_ignores_names_of_unknown_laws():
    assert law_mentions("el artículo 217 LEC", literal=True) == []


def test_the_registry_is_whole():
    laws = known_laws()
    assert len(laws) == 66
    assert all(law.superseded_by is None or law.superseded_by in laws for law in laws.values())
    assert {law.id for law in laws.values() if law.rank == 1} == {"BOE-A-1978-31229", "BOE-A-1985-16660"}
    assert {law.number for law in laws.values() if law.rank == 3} == {
        "2064/1995", "84/1996", "1415/2004", "928/1998", "39/1997", "1993/1995", "1483/2012",
    }  # fmt: skip
    assert {law.kind for law in laws.values() if law.rank == 4} == {"real_decreto"}
    assert {law.kind for law in laws.values() if law.rank == 5} == {"orden"}
    assert {"real_decreto", "orden", "constitucion"}.isdisjoint(law.kind for law in laws.values() if law.rank == 2)


def test_the_registry_agrees_with_the_real_laws(real_laws):
    for path in sorted(real_laws.glob("*.md")):
        front = yaml.safe_load(path.read_text(encoding="utf-8").split("\n---\n", 1)[0][4:])
        law = known_laws()[front["identifier"]]
        assert (law.title, law.kind) == (" ".join(front["title"].split()), front["rank"])
        assert law.published.isoformat() == front["publication_date"]
        assert law.number.endswith(str(front.get("official_number", "")))


@given(st.text())
def test_mentions_never_raise_and_never_overlap(text):
    position = 0
    for mention in law_mentions(text):
        assert position <= mention.start < mention.end <= len(text)
        position = mention.end
    find_law(text)
