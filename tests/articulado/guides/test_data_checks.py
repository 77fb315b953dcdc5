"""Lists and ranges of data, and rules on them: what an editor may write, and how what is wrong is told."""

import pytest
from support.small_articles import decision_guide, guardrails, required_data, write_article, write_profile

from articulado.config.profile import load_profile
from articulado.guides.chunks import cut_article, read_article
from articulado.values.errors import InvalidInput

STATUS = {"field": "status", "data_type": "text", "values": {"alive": ["green"], "dead": ["dry", "brown"]}}
PLANTED = {"field": "planted", "data_type": "date", "max": "today"}
CUT = {"field": "cut", "data_type": "date", "min": "planted", "max": "today + 30 days"}
HEIGHT = {"field": "height", "data_type": "number", "max": 12}


def data(*fields):
    template = required_data()["fields"][0]
    return {**required_data(), "fields": [{**template, "aliases": [], **datum} for datum in fields]}


def guide(*whens):
    rule = decision_guide()["rules"][0]
    return {**decision_guide(), "rules": [{**rule, "when": when} for when in whens]}


@pytest.fixture
def read(tmp_path):
    def read(*chunks):
        return read_article(write_article(tmp_path / "a.article.yaml", chunks=[*chunks, guardrails()]))

    return read


def test_the_details_have_what_the_editor_wrote(tmp_path):
    whens = [
        {"field": "status", "one_of": ["brown"]},
        {"field": "planted", "elapsed": "working_days", "above": 20},
        {"field": "cut", "before": "planted"},
    ]
    chunks = [data(STATUS, PLANTED, CUT, {**HEIGHT, "accepts": "metres"}), guide(*whens), guardrails()]
    profile = load_profile(str(write_profile(tmp_path)))
    cut = cut_article(write_article(tmp_path / "a.article.yaml", chunks=chunks), profile).chunks

    fields = cut[0]["details"]["fields"]
    assert fields[0]["values"] == STATUS["values"]
    assert [(datum.get("min"), datum.get("max")) for datum in fields] == [
        (None, None),
        (None, "today"),
        ("planted", "today + 30 days"),
        (None, 12),
    ]
    assert fields[3]["accepts"] == "metres"
    assert "unit" not in fields[3]
    assert "pattern" not in fields[0]
    assert [rule["when"] for rule in cut[1]["details"]["rules"]] == whens


def test_days_parsed_by_yaml_are_accepted_as_bounds(tmp_path):
    file = write_article(tmp_path / "a.article.yaml", chunks=[data({**PLANTED, "min": "DAY"}), guardrails()])
    file.write_text(file.read_text(encoding="utf-8").replace("DAY", "2020-01-31"), encoding="utf-8")

    assert read_article(file).chunks[0].fields[0].min == "2020-01-31"


def test_the_text_says_what_is_accepted_and_when_rules_hold(tmp_path):
    whens = [
        {"field": "planted", "elapsed": "working_days", "above": 20},
        {"field": "planted", "elapsed": "years", "below": 1},
        {"field": "planted", "after": "2026-01-31"},
        {"field": "cut", "before": "planted"},
        {"field": "cut", "before": "today - 6 months"},
    ]
    fields = data(STATUS, PLANTED, CUT, HEIGHT, {**HEIGHT, "field": "width", "min": 0.5, "accepts": "Metres."})
    file = write_article(tmp_path / "a.article.yaml", chunks=[fields, guide(*whens), guardrails()])
    english = cut_article(file, load_profile(str(write_profile(tmp_path)))).chunks
    spanish_file = write_article(tmp_path / "b.article.yaml", climate=None, chunks=[fields, guide(*whens)])
    spanish_profile = load_profile("laboral").model_copy(update={"filter_fields": ()})
    spanish = cut_article(spanish_file, spanish_profile).chunks

    assert [line.partition(":")[0] for line in english[0]["text"].splitlines()[1:]] == [
        "- status (text, required; one of",
        "- planted (date, required; up to today)",
        "- cut (date, required; from planted up to today + 30 days)",
        "- height (number, required; up to 12)",
        "- width (number, required; Metres)",
    ]
    assert "(text, required; one of: alive, dead)" in english[0]["text"]
    assert [line.partition(":")[0] for line in english[1]["text"].splitlines()[1:]] == [
        "- If more than 20 working days have passed since planted",
        "- If fewer than 1 years have passed since planted",
        "- If planted is after 2026-01-31",
        "- If cut is before planted",
        "- If cut is before today - 6 months",
    ]
    assert "(fecha, obligatorio; desde planted hasta hoy + 30 días)" in spanish[0]["text"]
    assert "- Si han pasado más de 20 días hábiles desde planted: " in spanish[1]["text"]
    assert "- Si cut es anterior a hoy - 6 meses: " in spanish[1]["text"]


@pytest.mark.parametrize(
    ("datum", "message"),
    [
        ({**HEIGHT, "values": {"a": []}}, "values: solo va con «data_type: text», y el de «height» es number."),
        ({**STATUS, "values": {"a": ["Dry"], "b": ["DRY!"]}}, "values: «DRY!» vale por «a» y por «b»; déjelo en uno."),
        ({**STATUS, "values": {}}, "values: "),
        ({**STATUS, "values": ["a"]}, "values: debe ser una serie de claves con su valor."),
        ({**STATUS, "pattern": "a("}, "pattern: «a(» no es una expresión regular: "),
        ({**STATUS, "pattern": "[z-á]", "accepts": "x"}, "pattern: «[z-a]» no es una expresión regular: "),
        ({**STATUS, "pattern": "a"}, "pattern: pide «accepts»: con qué palabras se dice lo que se acepta."),
        ({**HEIGHT, "max": "today"}, "max: «today» no es un número, y «height» lo es."),
        ({**HEIGHT, "max": True}, "max: debe ser un número o una fecha, como 2026-01-31, «today»"),
        ({**HEIGHT, "max": -1}, "max: «max» (-1) queda por debajo de «min» (0): no cabría ningún valor."),
        ({**HEIGHT, "min": 5, "max": 4}, "max: «max» (4) queda por debajo de «min» (5): no cabría ningún valor."),
        ({**STATUS, "min": 1}, "min: solo va con number, currency o date, y «status» es text."),
        ({**CUT, "min": "tomorrow!"}, "min: «tomorrow!» no es una fecha; se escribe 2026-01-31, «today»"),
        ({**CUT, "min": "2026-02-30"}, "min: «2026-02-30» no es una fecha"),
        ({**CUT, "min": 3}, "min: «3» no es una fecha"),
        ({**CUT, "min": "cut"}, "min: «cut» no es otro campo de fecha del artículo (planted)."),
        ({**CUT, "min": "height"}, "min: «height» no es otro campo de fecha del artículo (planted)."),
        ({**CUT, "min": "today", "max": "today - 1 day"}, "«max» (today - 1 day) queda por debajo de «min» (today)"),
        (
            {**CUT, "min": "2026-02-01", "max": "2026-01-31"},
            "«max» (2026-01-31) queda por debajo de «min» (2026-02-01)",
        ),
    ],
)
def test_rejects_values_and_bounds_that_do_not_fit_their_field(read, datum, message):
    others = [other for other in (PLANTED, HEIGHT) if other["field"] != datum["field"]]
    with pytest.raises(InvalidInput) as refused:
        read(data(datum, *others))
    assert "trozo 1, fields 1, " in str(refused.value)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("when", "message"),
    [
        ({"field": "width", "above": 1}, "when, field: «width» no está entre los «fields» del artículo (cut, height,"),
        ({"field": "height", "before": "today"}, "when, before: solo va con un campo de fecha, y «height» es number."),
        ({"field": "height", "elapsed": "days", "above": 1}, "when, elapsed: solo va con un campo de fecha"),
        ({"field": "planted", "above": 1}, "when, above: solo va con number o currency, y «planted» es date; de una"),
        ({"field": "status", "below": 1}, "when, below: solo va con number o currency, y «status» es text"),
        ({"field": "planted", "after": "soon enough"}, "when, after: «soon enough» no es una fecha"),
        (
            {"field": "planted", "after": "height"},
            "when, after: «height» no es otro campo de fecha del artículo (cut).",
        ),
        ({"field": "planted", "elapsed": "hours", "above": 1}, "when, elapsed: los valores posibles son"),
        ({"field": "planted", "elapsed": "days", "before": "cut"}, "when: «elapsed» va con «below» o con «above»."),
        ({"field": "planted", "before": "cut", "after": "cut"}, "when: debe llevar una, y solo una, de las claves"),
        (
            {"field": "status", "one_of": ["green", "blue"]},
            "one_of: «blue» no está entre los «values» de «status» (alive, dead).",
        ),
    ],
)
def test_rejects_rules_that_do_not_fit_the_type_of_their_field(read, when, message):
    with pytest.raises(InvalidInput) as refused:
        read(data(STATUS, PLANTED, CUT, HEIGHT), guide(when))
    assert "trozo 2, rules 1, when" in str(refused.value)
    assert message in str(refused.value)


def test_a_number_of_time_says_its_unit_in_the_text_and_in_the_details(tmp_path):
    age = {"field": "age", "data_type": "number", "unit": "years", "max": 200}
    profile = load_profile(str(write_profile(tmp_path)))
    chunk = cut_article(write_article(tmp_path / "a.article.yaml", chunks=[data(age), guardrails()]), profile).chunks[0]

    assert chunk["details"]["fields"][0]["unit"] == "years"
    assert "- age (number of years, " in chunk["text"]


def test_only_a_number_has_a_unit(read):
    with pytest.raises(InvalidInput, match=r"unit.*solo va con «data_type: number»"):
        read(data({**STATUS, "unit": "years"}))


@pytest.mark.parametrize(
    ("datum", "since", "until"),
    [(HEIGHT, "sown", "today"), (HEIGHT, "today", "planted"), (HEIGHT, "planted", "status"), (CUT, "planted", "today")],
)
def test_only_a_number_is_computed_and_from_a_date_of_the_article(read, datum, since, until):
    with pytest.raises(InvalidInput, match=r"computed: .*«since» es otro campo de fecha"):
        read(data(STATUS, PLANTED, {**datum, "computed": {"since": since, "unit": "days", "until": until}}))
    aged = {**HEIGHT, "computed": {"since": "planted", "unit": "days", "until": "year_end"}}
    assert read(data(PLANTED, aged)).chunks[0].fields[1].computed.until == "year_end"


def test_a_long_pattern_is_refused(read):
    with pytest.raises(InvalidInput, match="pattern: debe tener 80 caracteres como mucho"):
        read(data({**STATUS, "values": None, "pattern": "a" * 81, "accepts": "letters"}))


DUE = {"kind": "deadline/payment_claim", "inputs": {"due": "planted"}}
DECIDED = {"decision": "uncertain", "because": "Late."}


def ruled(**rule):
    return {**decision_guide(), "rules": [rule]}


def test_a_calculation_is_told_with_what_it_decides(tmp_path):
    rules = [
        {"calculation": DUE, **DECIDED},
        {"calculation": DUE, "when": {"field": "status", "one_of": ["dead"]}},
        {"calculation": {"kind": "benefit/unemployment_duration", "inputs": {"contributed_days": "height"}}, **DECIDED},
    ]
    chunks = [data(STATUS, PLANTED, HEIGHT), {**decision_guide(), "rules": rules}, guardrails()]
    profile = load_profile(str(write_profile(tmp_path)))
    cut = cut_article(write_article(tmp_path / "a.article.yaml", chunks=chunks), profile).chunks

    assert cut[1]["details"]["rules"][0] == {"calculation": DUE, **DECIDED}
    assert cut[1]["text"].splitlines()[-3:] == [
        "- If the plazo para reclamar cantidades has passed: uncertain. Late.",
        "- If status is dead, calculated: plazo para reclamar cantidades.",
        "- If there is no right to duración de la prestación por desempleo: uncertain. Late.",
    ]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"calculation": {**DUE, "kind": "deadline/none"}}, r"no hay ningún cálculo «deadline/none»"),
        ({"calculation": {**DUE, "inputs": {"seat": "planted"}}}, "el cálculo no tiene el dato «seat»; tiene: due"),
        ({"calculation": {**DUE, "given": {"seat": "Vigo"}}}, "el cálculo no tiene el dato «seat»"),
        ({"calculation": {**DUE, "inputs": {"due": "sown"}}}, "«sown»"),
        ({"calculation": DUE, "decision": "uncertain"}, "«decision» y «because» van juntos"),
        ({"when": {"field": "height", "above": 3}}, "«decision» y «because» van juntos"),
        (DECIDED, "necesita «when»"),
    ],
)
def test_a_calculation_that_cannot_be_made_is_refused(read, rule, said):
    with pytest.raises(InvalidInput, match=said):
        read(data(STATUS, PLANTED, HEIGHT), ruled(**rule))
