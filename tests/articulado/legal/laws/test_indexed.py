import pytest

from articulado.legal.laws.indexed import NO_LAWS, IndexedLaws

TITLES = {
    "BOE-A-1": "Ley 12/2031, de 4 de mayo, de Faros",
    "BOE-A-2": "Ley 12/2031, de 9 de julio, de Puertos de Galicia",
    "BOE-A-3": "Orden FAR/7/2031, de 1 de junio, por la que se regulan las linternas",
    "BOE-A-4": "Real Decreto 8/2031, de 2 de enero, que desarrolla la Ley 99/2031",
    "BOE-A-5": "Reglamento de boyas",
    "BOE-A-6": "Ley 1/2029, de 3 de marzo, de Mareas",
    "BOE-A-7": "Ley 1/2030, de 3 de abril, de Mareas",
    "BOE-A-8": "Ley 2/2030, de 3 de abril, de Pesca Fluvial",
    "BOE-A-10": "Real Decreto 9/2031, de 2 de enero, por el que se aprueba el Reglamento de redes",
    "BOE-A-11": "Orden de 2 de enero de 2031 sobre linternas y señales de muelles, diques y embarcaderos",
    "BOE-A-12": "Resolución de 3 de mayo de 2031, de la Dirección General de Faros, sobre horarios",
    "BOE-A-13": "Resolución de 3 de mayo de 2031, de la Dirección General de Boyas, sobre turnos",
    "BOE-A-14": "Ley Foral 12/2031, de 9 de julio, de Linderos",
    "BOE-A-15": "Circular 4/2031, de 1 de junio, de fareros",
    "BOE-A-9": "Ley 3/2030, de 3 de abril, de Pesca Marítima",
}


@pytest.mark.parametrize(
    ("text", "law"),
    [
        ("art. 3 de la Orden FAR/7/2031", "BOE-A-3"),
        ("art. 3 del RD 8/2031", "BOE-A-4"),
        ("art. 3 de la Ley 12/2031, de 9 de julio", "BOE-A-2"),
        ("art. 3 de la Ley 12/2031, de faros", "BOE-A-1"),
        ("art. 3 de la Ley 12/2031 de puertos", "BOE-A-2"),
        # Two laws of this number, and nothing that tells which.
        ("art. 3 de la Ley 12/2031", None),
        ("art. 3 de la Ley 12/2031, de 1 de enero, de faros", None),
        # The number of a law is what its title begins with.
        ("art. 3 de la Ley 99/2031", None),
        ("art. 3 de las boyas", None),
        ("art. 3 del reglamento de boyas", "BOE-A-5"),
        ("art. 3 de la ley de faros, ¿qué dice?", "BOE-A-1"),
        ("art. 3 de la ley de puertos sobre muelles", "BOE-A-2"),
        ("art. 3 de la ley de muelles", None),
        ("art. 3 de la ley", None),
        # Of two laws of one name it is the later one; of two names, and nothing that tells which, none.
        ("art. 3 de la ley de mareas", "BOE-A-7"),
        ("art. 3 de la ley de pesca", None),
        # A decree goes by what it approves; of a long name most must be said.
        ("art. 3 del reglamento de redes", "BOE-A-10"),
        ("art. 3 de la orden de señales", None),
        # Without a number it is the day that names a norm.
        ("art. 3 de la Orden de 2 de enero de 2031", "BOE-A-11"),
        ("art. 3 de la Resolución de 3 de mayo de 2031, sobre horarios", "BOE-A-12"),
        ("art. 3 de la Resolución de 3 de mayo de 2031", None),
        # Those of Navarra have a series of their own.
        ("art. 3 de la Ley Foral 12/2031", "BOE-A-14"),
        ("art. 3 de la circular 4/2031", "BOE-A-15"),
    ],
)
def test_a_law_is_known_by_its_number_and_among_namesakes_by_day_and_title(text, law):
    assert IndexedLaws(lambda: TITLES).law_cited(text, len("art. 3")) == law
    assert NO_LAWS.law_cited(text, len("art. 3")) is None


def test_the_law_is_the_one_that_follows_the_provision():
    text = "art. 1 de la Orden FAR/7/2031 y art. 2 del Real Decreto 8/2031"
    laws = IndexedLaws(lambda: TITLES)
    assert [laws.law_cited(text, text.index(number) + 1) for number in ("1", "2 del")] == ["BOE-A-3", "BOE-A-4"]
    assert laws.law_cited("Real Decreto 8/2031, art. 5", 27) == "BOE-A-4"


def test_titles_are_read_when_a_law_is_named_and_only_once():
    reads = []

    def titles():
        reads.append(1)
        return TITLES

    laws = IndexedLaws(titles)
    assert reads == []
    for _ in range(2):
        assert laws.law_cited("art. 3 de la Orden FAR/7/2031", 6) == "BOE-A-3"
    assert reads == [1]
