import pytest
from hypothesis import given
from hypothesis import strategies as st

from legal.territory import communities, find_territory


@pytest.mark.parametrize(
    ("question", "community"),
    [
        ("festivos en Madrid", "Comunidad de Madrid"),
        ("convenio de Murcia", "Región de Murcia"),
        ("trabajo en León", "Castilla y León"),
        ("Castilla y León", "Castilla y León"),
        ("en Castilla-La Mancha", "Castilla-La Mancha"),
        ("permisos en euskadi", "País Vasco"),
        ("en Santander", "Cantabria"),
        ("empresa de La Rioja", "La Rioja"),
        ("comunitat valenciana", "Comunidad Valenciana"),
        ("Las Palmas de Gran Canaria", "Canarias"),
        ("BARCELONA y Girona", "Cataluña"),
        ("en la ciudad de Ceuta", "Ceuta"),
    ],
)
def test_the_community_of_a_place(question, community):
    assert find_territory(question) == community


@pytest.mark.parametrize(
    "question",
    [
        "derecho laboral",
        "¿qué dijo Ponce de León?",
        "el banco Santander me despide",
        "vino de rioja",
        "Pedro Zamora fue despedido",
        "diferencias entre Madrid y Barcelona",
        "",
    ],
)
def test_no_community(question):
    assert find_territory(question) is None


def test_there_are_seventeen_communities_and_two_cities():
    assert len(set(communities())) == 19


@given(st.text())
def test_whatever_is_found_is_a_community(text):
    assert find_territory(text) in {None, *communities()}
