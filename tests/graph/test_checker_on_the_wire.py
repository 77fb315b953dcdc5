"""The check of claims in the graph, with its model on a scripted server."""

import json
from functools import partial

import pytest
from support.fake_time import FakeTime
from support.openai_server import Reply, failure, running_server
from support.wired import META, QUESTION, shown, wired

from articulado.config.profile import load_profile
from articulado.config.settings import ModelSettings, Settings
from articulado.models.openai import chat_model
from articulado.models.retry import Retrier
from graph.factory import build_services, without_providers

pytestmark = pytest.mark.integration

ANSWER = f"El permiso es de 30 días [C1].{META}"
WORDS = "Texto del artículo 38, y son 30 días"


def verdicts(evidence=WORDS, verdict="contradicted"):
    return json.dumps({"verdicts": [{"claim": 1, "evidence": evidence, "verdict": verdict}]})


async def asked(*replies, question=QUESTION, **fields):
    """Return the events of a question and the prompts of the checker; without replies it is off."""
    with running_server() as server:
        if replies:
            settings = ModelSettings(provider="compatible", model="checker", base_url=server.url)
            fields["checker"] = chat_model("checker", settings, partial(Retrier, sleep=FakeTime().sleep))
            server.script("checker", *replies)
        async with wired(server, **fields) as rig:
            server.answer("principal", lambda request: ANSWER)
            events = await rig.events(question)
            calls = {role: server.calls(role) for role in ("principal", "checker")}
            prompts = list(rig.prompts("checker"))
        if replies:
            await fields["checker"].close()
    return events, calls, prompts


async def test_a_contradiction_becomes_a_warning_and_starts_no_second_call():
    events, calls, [prompt] = await asked(verdicts())
    result = events[-1]["result"]
    [finding] = result["findings"]
    assert (finding["check"], finding["severity"], finding["mark"]) == ("claim", "warning", "C1")
    assert finding["evidence"] == "Texto del artículo 38, y son 30 días."
    assert result["answer"] == "El permiso es de 30 días [C1]."
    assert calls == {"principal": 1, "checker": 1}
    assert prompt.body["messages"][1]["content"].endswith("1 (C1): El permiso es de 30 días.")
    assert "check_claims" in result["usage"]["stages"]


async def test_words_that_no_source_has_make_no_warning():
    events, calls, _ = await asked(verdicts(evidence="Texto que nadie ha escrito nunca"))
    assert (events[-1]["result"]["findings"], calls["checker"]) == ([], 1)


async def test_it_is_off_unless_configured():
    events, calls, _ = await asked()
    assert calls["checker"] == 0
    assert "check_claims" not in [event.get("stage") for event in events]
    services = build_services(Settings.read(env_file=None), load_profile("laboral"), None)
    assert services.checker is None
    await services.close()


async def test_it_changes_neither_the_stream_nor_the_tokens_but_for_its_own():
    plain, _, _ = await asked()
    checked, _, _ = await asked(Reply(verdicts(), usage=(100, 20)))
    assert shown(plain) == shown(checked)
    tokens = [events[-1]["result"]["usage"]["tokens"] for events in (plain, checked)]
    assert tokens[1] == {"input": tokens[0]["input"] + 100, "output": tokens[0]["output"] + 20}


@pytest.mark.parametrize(
    "replies",
    [[failure(401)], [failure(500)] * 3, ['{"verdicts": [{"claim": 1}]}'] * 2],
    ids=["key", "down", "malformed"],
)
async def test_a_failure_leaves_the_answer_and_one_warning(replies):
    events, calls, _ = await asked(*replies)
    result = events[-1]["result"]
    assert (result["answer"], result["findings"]) == ("El permiso es de 30 días [C1].", [])
    [warning] = [text for text in result["warnings"] if text.startswith("No se ha podido hacer la comprobación")]
    assert "checker" in warning
    assert calls["principal"] == 1


async def test_answers_of_quotations_are_never_checked():
    _, calls, _ = await asked(verdicts(), principal=None)
    assert calls["checker"] == 0


async def test_the_role_is_opened_from_the_settings_and_named_closed_and_left_out_offline():
    model = ModelSettings(provider="compatible", model="m", base_url="http://127.0.0.1:9/v1")
    services = build_services(Settings.read(env_file=None, checker=model), load_profile("laboral"), None)
    assert services.checker is not None
    assert services.model_names["checker"] == "m (compatible)"
    assert without_providers(services).checker is None
    await services.close()
