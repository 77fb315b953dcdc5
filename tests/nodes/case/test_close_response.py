"""What closes a case: rules go before the author, and what is no value keeps it from going on."""

import pytest
from langgraph.runtime import Runtime
from support.case_fields import field, rule
from support.doubles import CharacterCounter, make_chunk

from articulado.config.profile import load_profile
from articulado.config.sections import Calendar
from articulado.language.languages import language
from articulado.retrieval.fusion import candidate
from nodes.case.close_response import close_response
from state.context import ResolvedContext

ANSWER = {"sections": [{"topic": "T", "answer_components": ["Yes."], "steps": [], "warnings": []}]}
DISMISSED = field("fecha_despido", "date", max="today")
CLAIM = rule("fecha_despido", elapsed="working_days", above=20)


async def closed(fields, collected, rules=(), **values):
    profile = load_profile("laboral")
    calendar = Calendar(name="de lunes a viernes")
    profile = profile.model_copy(update={"case": profile.case.model_copy(update={"calendar": calendar})})
    guide = {**make_chunk(1, "Cómo decidir"), "details": {"rules": list(rules)}}
    state = {
        "failure": None,
        "today": "2026-11-23",
        "article_id": guide["law_id"],
        "inquiry": "¿Y ahora?",
        "article_title": guide["law_name"],
        "context": [candidate(guide, 1.0, "direct")],
        "context_tokens": 10,
        "wanted": fields,
        "filters": {},
        "collected": collected,
        "drafted": {"decision": "can_proceed"},
        "confidence": 0.9,
        "raw_confidence": 0.9,
        "response": ANSWER,
        "guardrails": {"checked": 0, "violated": []},
        "dropped_items": [],
        "left_out": [],
        "shortfall": {"parts": [], "max_tokens": 0},
        "reason": "",
        "warnings": [],
        "usage": {},
        **values,
    }
    return await close_response(
        state, Runtime(context=ResolvedContext()), profile=profile, counter=CharacterCounter(), language=language("es")
    )


@pytest.mark.parametrize(
    ("written", "decision"),
    [("2026-10-26", "can_proceed"), ("2026-10-23", "uncertain"), ("23 de noviembre de 2024", "uncertain")],
)
async def test_the_days_of_a_claim_stop_a_case_by_themselves(written, decision):
    assert (await closed([DISMISSED], {"fecha_despido": written}, [CLAIM]))["decision"] == decision


async def test_the_reason_names_the_count_and_the_calendar():
    update = await closed([DISMISSED], {"fecha_despido": "2026-10-23"}, [CLAIM])
    assert update["message"] == (
        "Because (han pasado 21 días hábiles desde la fecha indicada, 23 de octubre de 2026; se cuentan de lunes a "
        "viernes)"
    )


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("TBD", "no es un dato, sino un hueco por rellenar"),
        ("banana", "no se puede leer como una fecha"),
        ("31/02/2026", "no se puede leer como una fecha"),
        ("2027-11-23", "es una fecha futura"),
    ],
)
async def test_an_invalid_required_datum_is_missing_and_reported(given, problem):
    update = await closed([DISMISSED], {"fecha_despido": given}, [CLAIM])

    accepted = "una fecha hasta hoy, como 23 de noviembre de 2026"
    assert update["decision"] == "uncertain"
    assert update["message"] == (
        f"Faltan datos obligatorios: fecha_despido. «fecha_despido»: «{given}» {problem}; se acepta {accepted}"
    )
    assert update["metadata"]["missing_data"] == update["metadata"]["unreadable_data"] == ["fecha_despido"]
    assert update["metadata"]["rejected_data"] == [
        {"field": "fecha_despido", "given": given, "problem": problem, "accepted": accepted}
    ]
    assert update["warnings"] == []


async def test_an_invalid_optional_datum_that_a_rule_reads_stops_the_case():
    situation = field("situacion", required=False, values={"activo": ["en alta"], "baja": []})

    update = await closed([situation], {"situacion": "banana"}, [rule("situacion", one_of=["baja"])])
    assert (update["decision"], update["metadata"]["missing_data"]) == ("uncertain", [])
    assert update["message"] == (
        "«situacion»: «banana» no es ninguno de los valores posibles; se acepta uno de estos valores: activo, baja"
    )


async def test_an_invalid_optional_datum_without_rule_gives_a_warning():
    update = await closed([field("alta", "date", required=False)], {"alta": "banana" * 20})

    assert (update["decision"], update["message"]) == ("can_proceed", "")
    (warning,) = update["warnings"]
    assert warning.startswith(f"«alta»: «{('banana' * 20)[:79]}…» no se puede leer como una fecha; se acepta una fecha")
    assert update["metadata"]["rejected_data"][0]["given"] == "banana" * 20


async def test_out_of_scope_overrides_missing_data():
    update = await closed(
        [DISMISSED, field("contrato")],
        {"contrato": "autónomo"},
        [rule("contrato", "out_of_scope", one_of=["autónomo"])],
    )
    assert (update["decision"], update["message"], update["response"]) == ("out_of_scope", "Because", {"sections": []})


async def test_a_filter_field_is_a_datum_too():
    update = await closed([field("tipo_contrato")], {}, filters={"tipo_contrato": "indefinido"})
    assert (update["decision"], update["metadata"]["missing_data"]) == ("can_proceed", [])
