"""Special regimes: which ones a question names, and which one a provision is of."""

from collections import Counter, defaultdict

import pytest
from support.doubles import make_chunk

from articulado.ingestion.markdown.reader import read_law
from articulado.language.folding import fold
from articulado.legal.laws.registry import known_laws
from articulado.legal.vocabulary.matters import Regime, named_regimes, regime_of, regimes
from articulado.legal.vocabulary.synonyms import significant_words

HOME, MANAGERS, ARTISTS = "servicio del hogar familiar", "alta dirección", "artistas"
ATHLETES, SALES, LAWYERS = "deportistas profesionales", "representantes de comercio", "abogados de despachos"
PUBLIC, SEA, HOURS = "empleados públicos", "trabajadores del mar", "jornadas especiales"
TRADE, SELF_EMPLOYED = "trabajadores autónomos económicamente dependientes", "trabajadores autónomos"
FARM, COAL, AGENCIES = "trabajadores agrarios", "minería del carbón", "empresas de trabajo temporal"
DISABILITY = "personas con discapacidad"
SOCIAL_SECURITY = "BOE-A-2015-11724"


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("llevo tres años fregando suelos como empleada del hogar, ¿tengo finiquito?", {HOME}),
        ("SOY INTERNA Y LA SEÑORA NO ME DA LIBRES", {HOME}),
        ("limpio por horas en dos pisos", {HOME}),
        ("¿Cuánto preaviso debe una directiva?", {MANAGERS}),
        ("indemnizacion de un gerente cesado", {MANAGERS}),
        ("las bailarinas del musical cobran los ensayos", {ARTISTS}),
        ("el club no me deja fichar por otro", {ATHLETES}),
        ("soy comercial y me han quitado la cartera de clientes", {SALES}),
        ("el bufete me paga por minuta", {LAWYERS}),
        ("excedencia de una funcionaria por cuidado de hijo", {PUBLIC}),
        ("trienios en el ayuntamiento", {PUBLIC}),
        ("según el EBEP, ¿cuántos días?", {PUBLIC}),
        ("la mariscadora se ha caído", {SEA}),
        ("camionero con disco digital", {HOURS}),
        ("descanso tras tres turnos", {HOURS}),
        ("una tripulante de cabina de avión", {HOURS, SEA}),
        ("cotizo en el reta desde mayo", {SELF_EMPLOYED}),
        ("trabajador por cuenta propia", {SELF_EMPLOYED}),
        ("soy trade y mi cliente no me paga", {TRADE, SELF_EMPLOYED}),
        ("peonadas de la aceituna", {FARM}),
        ("mi suegro es agricultor y autónomo", {FARM, SELF_EMPLOYED}),
        ("soy picador en un pozo", {COAL}),
        ("me contrató una ETT", {AGENCIES}),
        ("las ETTs y la empresa usuaria", {AGENCIES}),
        ("tengo un 40 % de minusvalia", {DISABILITY}),
    ],
)
def test_a_question_names_a_regime_in_peoples_words(question, named):
    assert named_regimes(question) == named


@pytest.mark.parametrize(
    "question",
    [
        "¿cuántas vacaciones me tocan?",
        "me han despedido estando de baja",
        "requisitos de la jubilación anticipada",
        "cuánto paro me queda si he cotizado dos años",
        "permiso por nacimiento de un hijo",
        "mi empresa no me paga las horas extra",
        "embargo de la nómina a plazo fijo",
        "aunque sea de palabra, ¿vale el contrato?",
        "el estado del expediente",  # no "ETT" inside a word
        "",
    ],
)
def test_a_general_question_names_none(question):
    assert named_regimes(question) == frozenset()


def test_an_acronym_is_a_whole_word_in_any_case():
    assert named_regimes("el retal de la reta") == {SELF_EMPLOYED}
    assert named_regimes("retas retal") == frozenset()


@pytest.mark.parametrize(
    ("law", "regime"),
    [
        ("BOE-A-2011-17975", HOME),
        ("BOE-A-2024-18182", HOME),
        ("BOE-A-1985-17006", MANAGERS),
        ("BOE-A-2015-11719", PUBLIC),
        ("BOE-A-1995-21346", HOURS),
        ("BOE-A-2007-13409", SELF_EMPLOYED),
        ("BOE-A-2009-3673", TRADE),
        ("BOE-A-2015-11430", None),
        ("ECLI:ES:TS:2020:1", None),
    ],
)
def test_a_law_that_is_about_nothing_else_decides(law, regime):
    assert regime_of(make_chunk(1, law_id=law, breadcrumb="CAPÍTULO I. Disposiciones generales")) == regime


def test_the_law_goes_before_the_heading_and_case_and_accents_do_not_matter():
    chapter = "TÍTULO II > CAPÍTULO III. Trabajador autónomo ECONOMICAMENTE DEPENDIENTE"
    assert regime_of(make_chunk(1, law_id="BOE-A-2007-13409", breadcrumb=chapter)) == SELF_EMPLOYED
    assert regime_of(make_chunk(1, breadcrumb=chapter)) == TRADE


@pytest.mark.parametrize(
    "change",
    [{"laws": None}, {"terms": []}, {"name": ""}, {"extra": 1}, {"headings": "una"}],
)
def test_an_entry_that_breaks_the_schema_is_refused(change):
    entry = {"name": "x", "laws": [], "headings": [], "terms": ["y"]}
    assert Regime.model_validate(entry).terms == ("y",)
    with pytest.raises(ValueError, match=r"validation error|Input should"):
        Regime.model_validate(entry | change)


def test_the_table_is_of_known_laws_each_in_one_regime_and_says_nothing_twice():
    laws = Counter(law for regime in regimes() for law in regime.laws)
    assert set(laws) <= set(known_laws())
    assert max(laws.values()) == 1
    assert len({regime.name for regime in regimes()}) == len(regimes())
    for regime in regimes():
        assert len(set(map(fold, regime.terms))) == len(regime.terms), regime.name
        assert regime.laws or regime.headings, regime.name


def test_every_term_has_words_and_finds_itself():
    for regime in regimes():
        for term in regime.terms:
            assert significant_words(term), term
            assert regime.name in named_regimes(f"pregunto por {term} ahora"), term


def test_every_special_employment_relation_of_the_registry_has_a_regime():
    special = {law.id for law in known_laws().values() if "especial" in law.title and "relación laboral" in law.title}
    assert special
    assert special <= {law for regime in regimes() for law in regime.laws}


@pytest.fixture(scope="module")
def by_heading(real_laws):
    """Regime by law and chapter of every provision of a law that has none of its own."""
    own = {law for regime in regimes() for law in regime.laws}
    numbers_by_regime = defaultdict(lambda: defaultdict(list))
    for path in sorted(real_laws.glob("*.md")):
        for provision in read_law(path).provisions if path.stem not in own else ():
            if regime := regime_of(make_chunk(1, law_id=path.stem, breadcrumb=provision.breadcrumb)):
                numbers_by_regime[path.stem][regime].append(provision.key.removeprefix("art:"))
    return numbers_by_regime


def numbers(first, last):
    return {str(number) for number in range(first, last + 1)}


def without_suffix(keys):
    return {key.split()[0] for key in keys}


def test_the_chapters_of_the_general_social_security_act_are_of_the_right_regime(by_heading):
    numbers_by_regime = by_heading[SOCIAL_SECURITY]
    assert numbers_by_regime.keys() == {HOME, FARM, ARTISTS, SELF_EMPLOYED}
    assert set(numbers_by_regime[HOME]) == {"250", "251"}
    assert without_suffix(numbers_by_regime[FARM]) == numbers(252, 256) | numbers(286, 289) | numbers(323, 326)
    assert set(numbers_by_regime[ARTISTS]) == {"249 ter", "249 quater"}
    assert without_suffix(numbers_by_regime[SELF_EMPLOYED]) == numbers(305, 322) | numbers(327, 350)


REGULATIONS = {
    # What the general regulations on contributions, mutual societies and sanctions have on special regimes.
    ("BOE-A-1996-1579", FARM): numbers(36, 42),
    # Articles 46 to 48 stand under the heading of a section that is no longer there; 49 and 50 are suppressed.
    ("BOE-A-1996-1579", SELF_EMPLOYED): numbers(43, 50),
    ("BOE-A-1996-1579", SEA): numbers(51, 55),
    ("BOE-A-1996-1579", COAL): numbers(56, 59),
    ("BOE-A-1995-26716", SELF_EMPLOYED): numbers(74, 79) | numbers(85, 90),
    ("BOE-A-2000-15060", AGENCIES): {"18", "19"},
    ("BOE-A-2000-15060", SELF_EMPLOYED): {"32"},
    ("BOE-A-2007-6115", PUBLIC): numbers(51, 68),
    ("BOE-A-2009-4724", SELF_EMPLOYED): numbers(40, 47),
    ("BOE-A-2012-13419", PUBLIC): numbers(34, 48),
    ("BOE-A-2026-7296", SELF_EMPLOYED): {"18", "19"},
    ("BOE-A-2026-7296", SEA): {"20"},
    ("BOE-A-2026-7296", COAL): {"21"},
}


def test_the_headings_match_those_chapters_of_other_laws_and_nothing_else(by_heading):
    others = {law: chapters for law, chapters in by_heading.items() if law != SOCIAL_SECURITY}
    numbers_by_regime = {
        (law, name): without_suffix(keys) for law, chapters in others.items() for name, keys in chapters.items()
    }
    assert numbers_by_regime == REGULATIONS


def test_every_heading_stands_in_a_law(real_laws):
    laws = [read_law(path) for path in real_laws.glob("*.md")]
    breadcrumbs = {fold(provision.breadcrumb) for law in laws for provision in law.provisions}
    headings = [words for regime in regimes() for words in regime.headings]
    assert [words for words in headings if not any(fold(words) in breadcrumb for breadcrumb in breadcrumbs)] == []
