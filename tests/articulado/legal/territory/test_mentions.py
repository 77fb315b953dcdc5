"""Places that questions name: in three phases, and never by a surname, a court or a street."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.language.folding import fold
from articulado.legal.territory.mentions import (
    Place,
    communities,
    community_of,
    find_place,
    find_territory,
    place_called,
    place_words,
)
from articulado.legal.territory.table import place_names

CASTILE, MANCHA, MADRID = "Castilla y León", "Castilla-La Mancha", "Comunidad de Madrid"


@pytest.mark.parametrize(
    ("question", "community", "city"),
    [
        ("festivos en Madrid", MADRID, "Madrid"),
        ("trabajo en León", CASTILE, "León"),
        ("vivo en la ciudad de Ceuta", "Ceuta", "Ceuta"),
        ("permisos en euskadi", "País Vasco", None),
        ("en Santander", "Cantabria", "Santander"),
        ("desde Vigo", "Galicia", "Vigo"),
        ("en toda Andalucía", "Andalucía", None),
        ("la provincia de Sevilla", "Andalucía", None),
        ("el ayuntamiento de sevilla", "Andalucía", "Sevilla"),
        ("en la Comunidad de Madrid", MADRID, None),
        ("en la isla de la palma", "Canarias", None),
        ("en L’Hospitalet de Llobregat", "Cataluña", "L'Hospitalet de Llobregat"),
        ("en San Sebastián", "País Vasco", "Donostia-San Sebastián"),
        ("trabajo en Sevilla y Málaga", "Andalucía", None),
        ("vivo en Getafe (Madrid)", MADRID, "Getafe"),
        ("trabajo en Alcoy, Alicante", "Comunidad Valenciana", "Alcoy"),
        ("en Andalucía, en Cádiz", "Andalucía", "Cádiz"),
    ],
)
def test_marked_places_come_first(question, community, city):
    assert find_place(question) == Place(community, city)


@pytest.mark.parametrize(
    ("question", "community", "city"),
    [
        ("Castilla y León", CASTILE, None),
        ("Castilla-La Mancha", MANCHA, None),
        ("comunitat valenciana", "Comunidad Valenciana", None),
        ("Las Palmas de Gran Canaria", "Canarias", "Las Palmas de Gran Canaria"),
        ("San Sebastián de los Reyes", MADRID, "San Sebastián de los Reyes"),
        ("empresa de La Rioja", "La Rioja", None),
        ("Junta de Andalucía: trienios", "Andalucía", None),
        ("Barcelona, Castilla y León", CASTILE, None),
    ],
)
def test_names_of_several_words_come_second(question, community, city):
    assert find_place(question) == Place(community, city)


@pytest.mark.parametrize(
    ("question", "community", "city"),
    [
        ("convenio Barcelona", "Cataluña", "Barcelona"),
        ("BARCELONA y Girona", "Cataluña", None),
        ("convenio de Murcia", "Región de Murcia", "Murcia"),
        ("convenio de hostelería de Toledo", MANCHA, "Toledo"),
        ("convenio del Metal de Toledo", MANCHA, "Toledo"),
        ("CONVENIO HOSTELERÍA TOLEDO", MANCHA, "Toledo"),
        ("festivos toledo 2026", MANCHA, "Toledo"),
        ("soy de Toledo", MANCHA, "Toledo"),
        ("Toledo capital", MANCHA, "Toledo"),
        ("me despiden (León)", CASTILE, "León"),
        ("una empresa de Granada", "Andalucía", "Granada"),
        ("la ley catalana de cooperativas", "Cataluña", None),
        ("el Servicio Andaluz de Salud", "Andalucía", None),
        ("una empresa gallega", "Galicia", None),
    ],
)
def test_single_words_come_last(question, community, city):
    assert find_place(question) == Place(community, city)


@pytest.mark.parametrize(
    ("question", "community", "city"),
    [
        ("María Murcia trabaja en Sevilla", "Andalucía", "Sevilla"),
        ("mi jefe Toledo, en Bilbao, no me paga", "País Vasco", "Bilbao"),
        ("una empresa de Barcelona me contrató en Zaragoza", "Aragón", "Zaragoza"),
        ("Ponce de León y la Junta de Castilla y León", CASTILE, None),
        ("convenio de Toledo para la Comunidad de Madrid", MADRID, None),
        ("Banco Santander, oficina de Lugo", "Galicia", "Lugo"),
    ],
)
def test_a_surname_or_a_word_does_not_win_over_a_phrase(question, community, city):
    assert find_place(question) == Place(community, city)


@pytest.mark.parametrize(
    "question",
    [
        "derecho laboral",
        "",
        "diferencias entre Madrid y Barcelona",
        "vivo en Guadalajara y trabajo en Madrid",
        "María Murcia me ha despedido",
        "Murcia Pérez no me paga",
        "el señor León no me paga",
        "la Sra. Valencia",
        "D.ª Ávila",
        "mi jefe Toledo",
        "mi compañero zamora",
        "el doctor Córdoba me dio la baja",
        "Pedro Zamora fue despedido",
        "Vitoria me dijo que no",
        "¿qué dijo Ponce de León?",
        "Juan Zamora, trabajador de la empresa",
        "permiso de María Granada",
        "el banco Santander me despide",
        "trabajo en Santander Consumer",
        "mi empresa Toledo",
        "vino de rioja",
        "Real Madrid",
        "Sentencia Valencia",
        "STSJ de Madrid 345/2020",
        "tribunal superior de justicia de Galicia",
        "TSJ de la Comunidad de Madrid",
        "calle Alcalá de Henares",
        "la calle de Barcelona",
        "me quemé en la palma de la mano",
        "LESIÓN EN LA PALMA DE LA MANO",
        "en la línea de producción",
        "tengo dos hermanas",
        "la indemnización igualada",
        "la línea paterna",
        "la pierna rota",
        "receta de paella valenciana",
        "en Madrid-Barajas",
        "Barcelonauta",
    ],
)
def test_no_place_or_no_single_one(question):
    assert find_place(question) is None


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("León", Place(CASTILE, "León")),
        ("  provincia   de LEÓN ", Place(CASTILE)),
        ("madrid", Place(MADRID, "Madrid")),
        ("Comunidad de Madrid", Place(MADRID)),
        ("Junta de Castilla y León", Place(CASTILE)),
        ("la Rioja", Place("La Rioja")),
        ("dos hermanas", Place("Andalucía", "Dos Hermanas")),
        ("Ceuta", Place("Ceuta", "Ceuta")),
        ("ciudad autónoma de Ceuta", Place("Ceuta", "Ceuta")),
        ("trabajo en Lugo", Place("Galicia", "Lugo")),
        ("catalana", None),
        ("Narnia", None),
        ("", None),
    ],
)
def test_place_called_takes_the_name_as_a_place(name, place):
    assert place_called(name) == place


@pytest.mark.parametrize(
    ("department", "community"),
    [
        ("Comunidad Foral de Navarra", "Navarra"),
        ("Comunidad Autónoma de las Illes Balears", "Islas Baleares"),
        ("Comunidad Autónoma de la Región de Murcia", "Región de Murcia"),
        ("Comunitat Valenciana", "Comunidad Valenciana"),
        ("Comunidad de Madrid", MADRID),
        ("Comunidad Autónoma de Castilla y León", CASTILE),
        ("Ciudad de Melilla", "Melilla"),
    ],
)
def test_the_community_whose_law_it_is(department, community):
    assert community_of("2", department) == find_territory(department) == community
    assert community_of("1", department) is None


def test_the_words_of_places():
    assert place_words("¿Vacaciones en las Palmas de Gran Canaria o en LEÓN?") == {
        *("las", "palmas", "de", "gran", "canaria", "leon")
    }
    assert place_words("mi jefe León") == frozenset()


@given(st.text())
def test_found_places_are_in_the_table(text):
    for place in (find_place(text), place_called(text)):
        assert place is None or place in {name.place for name in place_names().values()} | {
            Place(community) for community in communities()
        }
    assert place_words(text) <= set("".join(c if c.isalnum() or c == "_" else " " for c in fold(text)).split())


JUMBLE = "en de la el y , ( ) . provincia convenio jefe María Sentencia festivos calle a"
WORDS = st.sampled_from([*JUMBLE.split(), *place_names()])


@given(st.lists(WORDS, max_size=9))
def test_a_jumble_of_words_and_names_is_read(words):
    text = " ".join(words)
    place = find_place(text)
    assert place is None or place.community in communities()
    assert find_place(text.lower()) == find_place(fold(text))


@given(st.sampled_from(sorted(name for name, meaning in place_names().items() if not meaning.adjective)), st.booleans())
def test_a_name_after_en_is_its_place_however_it_is_written(name, upper):
    meaning = place_names()[name]
    written = name.upper() if upper else name.title() if meaning.doubt == "word" else name
    if not (upper and meaning.doubt == "word"):
        assert find_place(f"Trabajo en {written}.") == meaning.place
    assert find_place(f"el ayuntamiento de {written}") in (meaning.place, meaning.region)
    assert place_called(written) == meaning.place
