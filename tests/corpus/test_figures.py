import pytest
from support.figures import readable, written


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("treinta días naturales", {30}),
        ("treinta y un años o veintiún años", {31, 21}),
        ("quinientos cuarenta y cinco días", {545}),
        ("de setecientos cincuenta y uno a mil trabajadores", {751, 1000}),
        ("mil ochocientos días", {1800}),
        ("dos mil quinientos euros", {2500}),
        ("la semana trigésima novena", {39}),
        ("225.018 euros, 65,01 por ciento y 1 221 euros", {225018, 65.01, 1221}),
        ("una vez, la primera", set()),
    ],
)
def test_a_figure_is_the_same_in_digits_and_in_words(text, expected):
    assert written(text) == expected


def test_a_law_also_offers_the_parts_of_its_figures():
    assert {47.0, 5.0, 33.0, 3.0} <= readable("artículo 47.5 y treinta y tres días")
