"""Profiles: what is there where nothing is written, and what an author reads where something is wrong."""

import tomllib
from collections.abc import Callable

import pytest
from support.paths import REPOSITORY

from articulado.config.profile import (
    ARTICLE_KEYS,
    CASE_STATE_KEYS,
    DOCUMENT_KINDS,
    RECORD_COLLECTIONS,
    Profile,
    load_profile,
)
from articulado.guides.chunks import KIND
from articulado.guides.schema import Article
from articulado.ingestion.bundled import bundled_articles
from articulado.ingestion.files.structure import COLLECTIONS
from articulado.ingestion.files.structure import KINDS as FILE_KINDS
from articulado.legal.validity import SignalWeights
from articulado.store.records.schema import load_corpus
from articulado.values.errors import ConfigurationError
from articulado.values.protocols import Fusion
from state.case import CaseState

TOP = 'name = "jardin"\ntitle = "Garden"\nlanguage = "es"\n'
ENGLISH = TOP.replace('"es"', '"en"')
NOTES = '[[collections]]\nname = "notes"\nlabel = "Notes"\n'
FIELDS = (
    '[[filter_fields]]\nname = "tool"\nlabel = "Tool"\n[filter_fields.values]\nsaw = ["hacksaw"]\n'
    '[[filter_fields]]\nname = "topic"\nlabel = "Topic"\n'
)
PACKAGED = REPOSITORY / "profiles"

Load = Callable[[str], Profile]


@pytest.fixture
def load(tmp_path) -> Load:
    """Load a profile of this text, from ``garden.toml``."""

    def loaded(text: str) -> Profile:
        (tmp_path / "garden.toml").write_text(text, encoding="utf-8")
        return load_profile(str(tmp_path / "garden.toml"))

    return loaded


@pytest.fixture
def problem_with(load, tmp_path) -> Callable[[str], str]:
    """Return what is wrong with a profile of this text, as its author reads it after the name of the file."""

    def read(text: str) -> str:
        with pytest.raises(ConfigurationError) as caught:
            load(text)
        begin = f"El perfil «{tmp_path / 'garden.toml'}» no se puede leer: "
        assert str(caught.value).startswith(begin)
        assert "\n" not in str(caught.value)
        return str(caught.value).removeprefix(begin)

    return read


def test_three_lines_and_a_collection_are_a_profile(load):
    profile = load(TOP + NOTES)

    assert profile.signals == SignalWeights(relevance=1.0, hierarchy=0.0, recency=0.0, in_force=0.0, repealed=0.0)
    assert bands(profile) == (0.35, 0.25, 0.03)
    assert (profile.features.spanish_law, profile.features.records, profile.features.references) == (False, False, True)
    assert profile.for_cases == profile.for_questions == ("notes",)
    assert (profile.weight("notes"), profile.rank("article")) == (1.0, 5)
    assert (profile.required_data_filter, profile.response_filter) == ((), ())
    needed, response = profile.case.required_data, profile.case.response
    assert (needed.chunks, needed.context_tokens, needed.answer_tokens) == (10, 500, 500)
    assert (response.chunks, response.max_tokens, profile.case.min_context_tokens) == (30, 3000, 40)


def bands(profile: Profile) -> tuple[float, float, float]:
    return profile.relevance.answer, profile.relevance.near, profile.relevance.chat_model


def test_a_band_that_is_not_written_has_its_default_and_two_may_meet(load):
    assert bands(load(TOP + NOTES + "[relevance]\nanswer = 0.6\n")) == (0.6, 0.25, 0.03)
    assert bands(load(TOP + NOTES + "[relevance]\nanswer = 0.4\nnear = 0.4\n")) == (0.4, 0.4, 0.03)
    assert bands(load(TOP + NOTES + "[relevance]\nanswer = 1\nnear = 0\nchat_model = 1\n")) == (1.0, 0.0, 1.0)


def test_the_packaged_law_states_its_bands():
    stated = tomllib.loads((PACKAGED / "laboral.toml").read_text(encoding="utf-8"))["relevance"]
    assert stated == load_profile("laboral").relevance.model_dump()


def test_a_file_with_a_byte_order_mark_is_read(load):
    assert load("\ufeff" + TOP + NOTES).name == "jardin"


def test_all_filter_fields_filter_unless_the_profile_names_some(load):
    unset = load(TOP + NOTES + FIELDS)
    some = load(TOP + NOTES + FIELDS + '[case.required_data]\nfilter = ["topic"]\n[case.response]\nfilter = ["tool"]\n')
    none = load(TOP + NOTES + FIELDS + "[case.required_data]\nfilter = []\n[case.response]\nfilter = []\n")

    assert (unset.required_data_filter, unset.response_filter) == (("tool",), ("tool", "topic"))
    assert (some.required_data_filter, some.response_filter) == (("topic",), ("tool",))
    assert (none.required_data_filter, none.response_filter) == ((), ())


def test_signals_that_are_not_named_have_their_defaults(load):
    written = load(TOP + NOTES + "[signals]\nhierarchy = 0.25\n").signals
    assert written == SignalWeights(relevance=1.0, hierarchy=0.25, recency=0.0, in_force=0.0, repealed=0.0)
    assert '"hierarchy":0.25' in load(TOP + NOTES + "[signals]\nhierarchy = 0.25\n").model_dump_json()


def values(fusion: Fusion) -> tuple[int, float, float]:
    return fusion.k, fusion.dense, fusion.sparse


def test_a_profile_that_says_nothing_of_search_has_what_was_measured_offline_and_plain_fusion_elsewhere(load):
    search = load(TOP + NOTES).search
    assert (values(search.fusion.offline), values(search.fusion.provider)) == ((20, 3.0, 1.0), (60, 1.0, 1.0))
    caps = search.caps
    assert (caps.prefetch, caps.per_collection, caps.per_query, caps.overall) == (100, 60, 100, 100)


def test_what_a_profile_leaves_out_of_a_section_on_search_has_its_default(load):
    sections = (
        "[search.caps]\noverall = 40\n[search.fusion.offline]\nk = 5\n[search.fusion.provider]\nk = 30\ndense = 2\n"
    )
    search = load(TOP + NOTES + sections).search
    assert (values(search.fusion.offline), values(search.fusion.provider)) == ((5, 3.0, 1.0), (30, 2.0, 1.0))
    caps = search.caps
    assert (caps.prefetch, caps.per_collection, caps.per_query, caps.overall) == (100, 60, 100, 40)


def test_the_packaged_law_states_all_that_it_says_of_search():
    stated = tomllib.loads((PACKAGED / "laboral.toml").read_text(encoding="utf-8"))["search"]
    assert stated == load_profile("laboral").search.model_dump()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (TOP, "[[collections]]: falta; escríbalo."),
        (TOP + "collections = []\n", "[[collections]]: hace falta al menos uno."),
        (TOP + "[collections]\n", "[[collections]]: cada uno se escribe con dobles corchetes, [[collections]]."),
        (TOP.replace('"es"', '"fr"') + NOTES, 'language: los valores posibles son "es" y "en".'),
        (TOP.replace('"Garden"', "5") + NOTES, "title: debe ser un texto, entre comillas."),
        (
            TOP.replace("jardin", "Mi jardín") + NOTES,
            "name: solo puede tener letras minúsculas sin acentos, cifras y «_», y empieza por una letra.",
        ),
        (
            TOP + "floor = 1\n" + NOTES,
            "floor: no es una clave conocida; las que hay son name, title, language, default",
        ),
        (
            TOP + 'folder = "x"\n' + NOTES,
            "folder: no es una clave conocida; la carpeta del perfil es la de su fichero.",
        ),
        (TOP + NOTES + "[relevance]\nanswer = 1.5\n", "[relevance] answer: debe ser 1 o menos."),
        (TOP + NOTES + "[relevance]\nnear = -0.1\n", "[relevance] near: debe ser 0 o más."),
        (TOP + NOTES + '[relevance]\nchat_model = "no"\n', "[relevance] chat_model: debe ser un número."),
        (
            TOP + NOTES + "[relevance]\nfloor = 0.3\n",
            "[relevance] floor: no es una clave conocida; las que hay son answer, near, chat_model, follow_up, "
            "insisting.",
        ),
        (
            TOP + NOTES + "[relevance]\nanswer = 0.2\n",
            "[relevance] near (0,25) no puede ser mayor que answer (0,2); baje near o suba answer.",
        ),
        (
            TOP + NOTES + "[relevance]\nnear = 0.5\n",
            "[relevance] near (0,5) no puede ser mayor que answer (0,35); baje near o suba answer.",
        ),
        (TOP + NOTES + "weight = 0\n", "[[collections]] «notes», weight: debe ser mayor que 0."),
        (
            TOP + NOTES + "hidden = true\n",
            "[[collections]] «notes», hidden: no es una clave conocida; las que hay son name",
        ),
        (TOP + '[[collections]]\nlabel = "A"\n', "[[collections]] número 1, name: falta; escríbalo."),
        (TOP + NOTES + "questions = 'maybe'\n", "[[collections]] «notes», questions: debe ser true o false."),
        (
            TOP + NOTES + "[signals]\nage = 1\n",
            "[signals] age: no es una clave conocida; las que hay son relevance, hierarchy, recency, in_force, repe",
        ),
        (TOP + NOTES + "[signals]\nrecency = 1.2\n", "[signals] recency: debe ser 1 o menos."),
        (TOP + NOTES + "[signals]\nrepealed = -0.1\n", "[signals] repealed: debe ser 0 o más."),
        (TOP + NOTES + "[signals]\nrelevance = nan\n", "[signals] relevance: debe ser 1 o menos."),
        (TOP + NOTES + "[search]\nk = 1\n", "[search] k: no es una clave conocida; las que hay son caps, fusion."),
        (TOP + NOTES + "[search]\ncaps = 9\n", "[search] caps: debe ser una sección de claves con su valor."),
        (TOP + NOTES + "[search.caps]\noverall = 0\n", "[search.caps] overall: debe ser 1 o más."),
        (TOP + NOTES + "[search.caps]\nprefetch = 1001\n", "[search.caps] prefetch: debe ser 1000 o menos."),
        (TOP + NOTES + "[search.caps]\nper_query = 1.5\n", "[search.caps] per_query: debe ser un número entero."),
        (
            TOP + NOTES + "[search.caps]\nall = 9\n",
            "[search.caps] all: no es una clave conocida; las que hay son prefetch, per_collection, per_query, over",
        ),
        (
            TOP + NOTES + "[search.fusion]\nk = 9\n",
            "[search.fusion] k: no es una clave conocida; las que hay son offline, provider.",
        ),
        (
            TOP + NOTES + "[search.fusion.offline]\nweight = 2\n",
            "[search.fusion.offline] weight: no es una clave conocida; las que hay son k, dense, sparse.",
        ),
        (TOP + NOTES + "[search.fusion.offline]\nk = 0\n", "[search.fusion.offline] k: debe ser 1 o más."),
        (TOP + NOTES + "[search.fusion.provider]\nk = 1001\n", "[search.fusion.provider] k: debe ser 1000 o menos."),
        (TOP + NOTES + "[search.fusion.provider]\nk = 2.5\n", "[search.fusion.provider] k: debe ser un número entero."),
        (TOP + NOTES + "[search.fusion.offline]\ndense = 0\n", "[search.fusion.offline] dense: debe ser mayor que 0."),
        (
            TOP + NOTES + "[search.fusion.provider]\nsparse = 101\n",
            "[search.fusion.provider] sparse: debe ser 100 o menos.",
        ),
        (
            TOP + NOTES + "[search.fusion.provider]\ndense = 'high'\n",
            "[search.fusion.provider] dense: debe ser un número.",
        ),
        (TOP + NOTES + "[ranks]\narticle = 6\n", "[ranks] article: debe ser 5 o menos."),
        (TOP + NOTES + "[case.response]\nchunks = 5\n", "[case.response] chunks: debe ser 20 o más."),
        (
            TOP + NOTES + "[case.required_data]\nchunks = 1.5\n",
            "[case.required_data] chunks: debe ser un número entero.",
        ),
        (
            TOP + NOTES + '[case.tiers]\ncritical = "steps"\n',
            "[case.tiers] critical: debe ser una lista, entre corchetes.",
        ),
        (
            TOP + NOTES + "[case.tiers]\ntop = []\n",
            "[case.tiers] top: no es una clave conocida; las que hay son critical, high, medium, low.",
        ),
        (
            TOP + NOTES + "[case]\nanswer = 1\n",
            "[case] answer: no es una clave conocida; las que hay son collections, ",
        ),
        (
            TOP + NOTES + FIELDS + '[filter_fields.values]\npruning = ["prune", 3]\n',
            "[[filter_fields]] «topic», values.pruning 2: debe ser un texto, entre comillas.",
        ),
        (
            TOP + NOTES + '[knowledge]\nfolder = ""\ncollection = "notes"\n',
            "[knowledge] folder: no puede estar vacío.",
        ),
        (
            TOP + NOTES + '[knowledge]\ncollection = "notes"\npath = "x"\n',
            "[knowledge] folder: falta; escríbalo.",
        ),
        (
            TOP + NOTES + '[knowledge]\nfolder = "x"\ncollection = "notes"\npath = "x"\n',
            "[knowledge] path: no es una clave conocida; las que hay son folder, collection, official.",
        ),
        (TOP + NOTES + "[case]\ncollections = [1]\n", "[case] collections 1: debe ser un texto, entre comillas."),
        (TOP + '"a\\nb" = 1\n' + NOTES, "a b: no es una clave conocida; las que hay son name"),
        (TOP + NOTES + "[[features]]\n", "features: debe ser una sección de claves con su valor."),
    ],
)
def test_what_breaks_the_schema_is_said_in_spanish_with_its_place(problem_with, text, problem):
    assert problem_with(text).startswith(problem)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            'name = "a"\ntitle = Garden\n',
            "línea 2, columna 9: el valor no es válido; los textos van entre comillas, y sí y no son true y false.",
        ),
        ("name\n", "línea 1, columna 5: a la clave le falta «=» y su valor."),
        ('name = "a\n', "línea 1, columna 10: hay un carácter que no puede ir ahí; ¿faltan las comillas que cierran"),
        ('name = "a" "b"\n', "línea 1, columna 12: sobra algo tras el valor; escriba cada clave en su línea."),
        ('name = "a"\nname = "b"\n', "línea 2, columna 11: esta clave ya tiene valor; deje uno."),
        ("[case]\n[case]\n", "línea 2, columna 6: esta sección ya está escrita; deje una."),
        ("[case\n", "línea 1, columna 6: falta el corchete que cierra el nombre de la sección."),
        ("a = [1, 2", "al final del fichero: falta el corchete o la llave que cierra."),
        ("¡hola!\n", "línea 1, columna 1: no se entiende; escriba clave = valor, o [sección]."),
    ],
)
def test_what_is_no_toml_is_said_in_spanish_with_line_and_column(problem_with, text, problem):
    assert problem_with(text).startswith(problem)


def test_a_file_in_another_encoding_is_said(tmp_path):
    file = tmp_path / "garden.toml"
    file.write_bytes((TOP + NOTES).replace("Garden", "Jardín").encode("latin-1"))
    with pytest.raises(ConfigurationError, match="no está en UTF-8; guárdelo como texto UTF-8"):
        load_profile(str(file))


def field(name: str, more: str = "") -> str:
    return f'[[filter_fields]]\nname = "{name}"\nlabel = "A"\n{more}'


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (NOTES, "hay dos [[collections]] «notes»; deje una o dele otro nombre."),
        (FIELDS + field("tool"), "hay dos [[filter_fields]] «tool»; deje uno o dele otro nombre."),
        (
            field("tool", '[filter_fields.values]\nsaw = ["Sierra"]\naxe = ["hacha", "sí-erra"]\n'),
            "[[filter_fields]] «tool», values: «sí-erra» vale por «saw» y por «axe»; déjelo en uno",
        ),
        (
            field("tool", '[filter_fields.values]\nsaw = ["the axe"]\n"The Axe" = []\n'),
            "[[filter_fields]] «tool», values: «The Axe» vale por «saw» y por «The Axe»; déjelo en uno",
        ),
        (
            "[ranks]\nguide = 2\n",
            "[ranks] «guide» no es una clase de documento; las que hay son article, sentencia, cri",
        ),
        (
            "[features]\nrecords = true\n",
            "[features] records pide las [[collections]] normativa, sentencias, criterios_inss; falta normativa, sent",
        ),
        (
            '[knowledge]\nfolder = "x"\ncollection = "guides"\n',
            "[knowledge] collection: «guides» no está en [[collections]] (los que hay: notes).",
        ),
        (
            '[case]\ncollections = ["guides"]\n',
            "[case] collections: «guides» no está en [[collections]] (los que hay: notes).",
        ),
        (
            FIELDS + '[case.required_data]\nfilter = ["colour"]\n',
            "[case.required_data] filter: «colour» no está en [[filter_fields]] (los que hay: tool, topic).",
        ),
        (
            '[case.response]\nfilter = ["colour"]\n',
            "[case.response] filter: «colour» no está en [[filter_fields]] (los que hay: ninguno).",
        ),
    ],
)
def test_what_contradicts_itself_is_said_with_what_to_do(problem_with, more, problem):
    assert problem_with(TOP + NOTES + more).startswith(problem)


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (
            '[filter_fields.named_by]\naxe = ["hewing"]\n',
            ", named_by: «axe» no está en values; añádalo allí o quítelo.",
        ),
        ("[filter_fields.others]\nSaw = []\n", ", others: «Saw» vale por «saw» y por «Saw»; déjelo en uno."),
        (
            '[filter_fields.others]\naxe = ["hack-saw"]\n',
            ", others: «hack-saw» vale por «saw» y por «axe»; déjelo en uno.",
        ),
        (
            '[filter_fields.named_by]\nsaw = ["sawing"]\n[filter_fields.others]\naxe = ["Sawing"]\n',
            ", others: «Sawing» vale por «saw» y por «axe»; déjelo en uno.",
        ),
    ],
)
def test_how_a_text_names_a_value_is_checked(problem_with, more, problem):
    values = '[filter_fields.values]\nsaw = ["hacksaw"]\n'
    assert problem_with(TOP + NOTES + field("tool", values + more)) == f"[[filter_fields]] «tool»{problem}"


@pytest.mark.parametrize("more", ["[filter_fields.named_by]\nx = []\n", "[filter_fields.others]\nx = []\n"])
def test_the_topic_is_not_read_off_a_text_by_names(problem_with, more):
    problem = "[[filter_fields]] «topic»: la materia no se lee así del texto; quite named_by"
    assert problem_with(TOP + NOTES + field("topic", "[filter_fields.values]\nx = []\n" + more)).startswith(problem)


def test_a_word_may_be_in_two_keys_for_one_value(load):
    values = '[filter_fields.values]\nsaw = []\n[filter_fields.named_by]\nsaw = ["Saw"]\n'
    assert load(TOP + NOTES + field("tool", values)).filter_fields[0].named_by == {"saw": ("Saw",)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[features]\nspanish_law = true\n", '[features] spanish_law asks for language = "es".'),
        ("[relevance]\nnear = 2.0\n", "[relevance] near: must be 1 or less."),
        (
            '[case.calendar]\ncountry = "QQ"\n',
            "[case.calendar] country: the holidays of “QQ” are not known; write the ISO code of a country",
        ),
        (
            field("tool", 'frames = ["with it"]\n'),
            "[[filter_fields]] “tool”, frames: is no known key; there are name, label, values, named_by, others.",
        ),
        ("[ranks]\narticle = one\n", "line 8, column 11: the value is not valid; texts stand in quotation marks"),
    ],
)
def test_what_is_wrong_with_an_english_profile_is_said_in_english(load, tmp_path, text, said):
    with pytest.raises(ConfigurationError) as caught:
        load(ENGLISH + NOTES + text)
    assert str(caught.value).startswith(f"The profile “{tmp_path / 'garden.toml'}” cannot be read: {said}")


def test_one_value_may_be_written_twice_in_other_ways(load):
    profile = load(TOP + NOTES + field("tool", '[filter_fields.values]\nsaw = ["Saw", "hacksaw", "hack-saw"]\n'))
    assert profile.filter_fields[0].values == {"saw": ("Saw", "hacksaw", "hack-saw")}


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("json", "la opción --json de la línea de órdenes; dele otro nombre."),
        ("profile", "la opción --profile de la línea de órdenes"),
        ("index", "la opción --index de la línea de órdenes"),
        ("help", "la opción --help de la línea de órdenes"),
        ("rerank", "la opción --rerank de la línea de órdenes"),
        ("inquiry", "la opción --inquiry de la línea de órdenes"),
        ("collected_data", "la opción --collected-data de la línea de órdenes"),
        ("max_tokens", "la opción --max-tokens de la línea de órdenes"),
        *((name, "una clave de los artículos; dele otro nombre.") for name in ARTICLE_KEYS),
        ("searches", "una clave del estado de un caso; dele otro nombre."),
        ("budget", "una clave del estado de un caso; dele otro nombre."),
        ("article_id", "una clave del estado de un caso; dele otro nombre."),
    ],
)
def test_a_filter_field_takes_no_name_that_means_something_else(problem_with, name, problem):
    assert problem_with(TOP + NOTES + field(name)).startswith(f"[[filter_fields]] «{name}» se llama como {problem}")


def test_what_is_checked_is_what_there_is():
    assert set(ARTICLE_KEYS) == set(Article.model_fields) - {"topic"}
    assert set(CaseState.__annotations__) == CASE_STATE_KEYS
    assert set(DOCUMENT_KINDS) == {KIND, *FILE_KINDS.values()}
    corpus = load_corpus()
    assert set(RECORD_COLLECTIONS) == {"normativa"} | {COLLECTIONS[kind] for kind in ("ruling", "criterion")}
    assert corpus.law_records
    assert corpus.decisions


@pytest.mark.parametrize("name", ["laboral", "plan_401k"])
def test_the_name_of_a_packaged_profile_is_taken(problem_with, name):
    assert problem_with(TOP.replace("jardin", name) + NOTES) == (
        f"name: «{name}» es uno de los incluidos, y tendrían el mismo índice; dele otro."
    )


@pytest.mark.parametrize("name", ["laboral", "plan_401k"])
def test_the_file_of_a_packaged_profile_is_that_profile(name):
    assert load_profile(str(PACKAGED / f"{name}.toml")) == load_profile(name)


def test_a_folder_of_articles_that_is_not_there_is_said_when_it_is_read(load, tmp_path):
    profile = load(TOP + NOTES + '[knowledge]\nfolder = "garden/articles"\ncollection = "notes"\n')
    with pytest.raises(ConfigurationError) as caught:
        bundled_articles(profile)
    assert str(caught.value) == (
        f"No existe la carpeta de artículos del perfil «jardin»: {tmp_path / 'garden' / 'articles'}. Créela."
    )
