"""The author without a model reads the structure of the articles, and adds nothing."""

from support.doubles import make_chunk

from articulado.cases.author import CaseMaterial, OfflineCaseAuthor, render

FIELD = {
    "field": "receiving_institution",
    "group": "participant_data",
    "description": "Who receives it",
    "why_needed": "The check is payable to it",
    "data_type": "text",
    "required": True,
    "aliases": ["new_custodian"],
}
PLAN_FIELD = {**FIELD, "field": "plan_name", "group": "plan_data", "required": False}


def chunk(number, article="roll", **details):
    return make_chunk(number, law_id=article, title=f"Title {number}", details={"article_title": "Rolling", **details})


def material(*chunks, **fields):
    defaults = {"inquiry": "q", "article_id": "roll", "article_title": "Rolling", "answer_tokens": 500}
    return CaseMaterial(chunks=chunks, context=render(chunks), **{**defaults, **fields})


async def test_fields_are_those_of_the_article():
    other = {**FIELD, "field": "of_another"}
    author = OfflineCaseAuthor()

    needed = (
        await author.required_data(material(chunk(2, "b", fields=[other]), chunk(1, fields=[FIELD, PLAN_FIELD])))
    ).value

    assert (needed.article_reference.article_id, needed.article_reference.title) == ("roll", "Rolling")
    assert [field.model_dump() for field in needed.required_fields.participant_data] == [
        {
            "field": "receiving_institution",
            "description": "Who receives it",
            "why_needed": "The check is payable to it",
            "data_type": "text",
            "required": True,
            "uncertain": False,
        }
    ]
    assert [field.field for field in needed.required_fields.plan_data] == ["plan_name"]


async def test_fields_of_another_article_are_guesses():
    needed = (await OfflineCaseAuthor().required_data(material(chunk(1), chunk(2, "b", fields=[FIELD])))).value

    assert [field.uncertain for field in needed.required_fields.participant_data] == [True]


async def test_the_answer_is_made_of_frames_steps_and_warnings_in_the_order_of_the_context():
    reply = await OfflineCaseAuthor().respond(
        material(
            chunk(1, frames=[{"topic": "How", "text": "Like this."}, {"topic": "How", "text": "And that."}]),
            chunk(2, steps=["Ask.", "Sign."], warnings=[{"about": "fees", "text": "A fee."}]),
            chunk(3, warnings=[{"about": "fees", "text": "A fee."}, {"about": "taxes", "text": "A tax."}]),
            chunk(4, faqs=[{"question": "?", "answer": "!"}]),
        )
    )

    assert [section.model_dump() for section in reply.value.response.sections] == [
        {"topic": "How", "answer_components": ["Like this.", "And that."], "steps": [], "warnings": []},
        {"topic": "Title 2", "answer_components": [], "steps": ["Ask.", "Sign."], "warnings": ["A fee."]},
        {"topic": "Title 3", "answer_components": [], "steps": [], "warnings": ["A tax."]},
    ]
    assert (reply.value.decision, reply.requests) == ("can_proceed", 0)
