"""The table of territories: what a jurist may write in it, and what it must hold."""

import re
import tomllib
from importlib import resources

import pytest
from pydantic import ValidationError

from articulado.legal.territory.mentions import communities, place_called, place_mentions, province_called, provinces
from articulado.legal.territory.table import Place, gazetteer, load_gazetteer, place_names

CAPITALS = """
Almería Cádiz Córdoba Granada Huelva Jaén Málaga Sevilla; Huesca Teruel Zaragoza; Oviedo; Palma;
Las_Palmas_de_Gran_Canaria Santa_Cruz_de_Tenerife; Santander; Albacete Ciudad_Real Cuenca Guadalajara Toledo;
Ávila Burgos León Palencia Salamanca Segovia Soria Valladolid Zamora; Barcelona Girona Lleida Tarragona;
Alicante Castellón_de_la_Plana Valencia; Badajoz Cáceres Mérida; A_Coruña Lugo Ourense Pontevedra
Santiago_de_Compostela; Logroño; Madrid; Murcia; Pamplona; Vitoria-Gasteiz Bilbao Donostia-San_Sebastián; Ceuta; Melilla
"""
"""The capitals of the provinces and of the communities, those of a community together."""


def cities() -> list[Place]:
    return [Place(community.name, city[0]) for community in gazetteer().community for city in community.cities]


def test_seventeen_communities_and_two_cities():
    assert len(set(communities())) == 19


def test_every_capital_is_a_city_of_its_community():
    assert len(cities()) >= 200
    for group in CAPITALS.split(";"):
        places = [place_called(name.replace("_", " ")) for name in group.split()]
        assert [place.city for place in places] == [name.replace("_", " ") for name in group.split()]
        assert len({place.community for place in places}) == 1


def test_canonical_names_are_of_one_place_each():
    named = [place.name for place in cities()]
    assert len(named) == len(set(named))
    assert set(named) & set(communities()) == {"Ceuta", "Melilla"}
    assert {place_called(name) for name in communities()} == {
        Place(name, name if name in ("Ceuta", "Melilla") else None) for name in communities()
    }
    assert all(place_called(place.name) == place for place in cities())


def test_co_official_names():
    for name, co_official in (
        ("Lleida", "Lérida"),
        ("Donostia", "San Sebastián"),
        ("Alacant", "Alicante"),
        ("Irun", "Irún"),
    ):
        assert place_called(name) == place_called(co_official)
    assert place_called("Bizkaia") == place_called("Vizcaya") == Place("País Vasco")


def packaged() -> str:
    return resources.files("articulado.legal.data").joinpath("territory.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda text: text.replace('["Vigo"]', '["Vigo"], ["Orzán", "Vigo"]'),
            "«Galicia»: dos ciudades se llaman «vigo»",
        ),
        (lambda text: text.replace('["Vigo"]', '["Vigo", "Sevilla"]'), "«sevilla» está en «Andalucía» y en «Galicia»"),
        (lambda text: text.replace('surnames = ["Lugo"', 'surnames = ["Luco"'), "«Luco» no es un nombre de la tabla"),
    ],
)
def test_a_mistake_in_the_table_is_told(change, message):
    changed = change(packaged())
    assert changed != packaged()
    with pytest.raises(ValueError, match=re.escape(message)):
        load_gazetteer(changed)


@pytest.mark.parametrize(
    ("old", "new"),
    [("surnames = []", "apellidos = []"), ('name = "Galicia"', 'name = ""'), ("\n[words]", "\n[palabras]")],
)
def test_rejects_tables_that_break_the_schema(old, new):
    tomllib.loads(packaged().replace(old, new, 1))
    with pytest.raises(ValidationError):
        load_gazetteer(packaged().replace(old, new, 1))


def test_doubtful_names_are_read_as_such():
    assert place_names()["leon"].doubt == "surname"
    assert place_names()["rota"].doubt == "word"
    assert place_names()["madrid"].region == Place("Comunidad de Madrid")
    assert place_names()["catalana"].adjective


def test_fifty_provinces_and_two_cities_each_with_its_community():
    assert len(set(provinces())) == 52
    assert province_called("provincia de Lérida") == ("Lleida", "Cataluña")
    assert province_called("Vigo") == ("Pontevedra", "Galicia")
    assert province_called("Tenerife") == ("Santa Cruz de Tenerife", "Canarias")
    assert province_called("Principado de Asturias") == ("Asturias", "Asturias"), "the only one of its community"
    assert province_called("Andalucía") is None


def test_an_adjective_of_a_province_means_it():
    [mention] = place_mentions("el convenio de la hostelería malagueña")
    assert (mention.place, mention.province) == (Place("Andalucía"), "Málaga")
