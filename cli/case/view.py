"""Terminal view of a case, in the language of its profile."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from articulado.config.profile import Profile
from articulado.language.formats import written
from articulado.language.languages import Language
from articulado.legal.labels import law_url
from cli.render import clean, notice, print_indented

GROUPS = ("participant_data", "plan_data")
MOST_SHOWN = 0.99
"""Confidence that is shown at most."""


def print_required_data(
    out: Console, result: Mapping[str, Any], profile: Profile, language: Language, budget: int | None = None
) -> None:
    """Print the article, the data that the case needs by category, and what that rests on."""
    reference, account = result["article_reference"], result["metadata"]
    outcome = "" if result["outcome"] == "found" else result["outcome"]
    _print_opening(out, outcome, account["article_title"], reference["confidence"] if reference else 0.0, language)
    if result["message"]:
        _say(out, result["message"], "yellow")
    for group in GROUPS:
        if fields := result["required_fields"][group]:
            _heading(out, f"\n{getattr(profile.case.categories, group) or language.translate(f'view_group_{group}')}")
            for field in fields:
                _print_field(out, field, language)
    if any(field["required"] for group in GROUPS for field in result["required_fields"][group]):
        out.print(f"\n{language.translate('view_required')}", style="dim")
    _print_end(out, result, profile, language)
    if account["chunks_used"]:
        out.print(
            language.translate(
                "view_account_required",
                context=account["context_tokens"],
                answer=account["answer_tokens"],
                chunks=account["chunks_used"],
            ),
            style="dim",
            markup=False,
        )


def ask_for(out: Console, missing: Mapping[str, Any], language: Language) -> dict[str, str]:
    """Ask in the terminal for the data of an interrupt; return those that were given, by field.

    The end of the input (Ctrl+D) leaves open what has not been answered.
    """
    _say(out, missing["message"], "yellow")
    answers: dict[str, str] = {}
    try:
        for field in missing["fields"]:
            out.print()
            _heading(out, field["json_schema"]["description"])
            if "problem" in field:
                _say(out, f"{language.quoted(field['given'])} {field['problem']}", "yellow")
            out.print(clean(field["why_needed"]), style="dim", markup=False)
            if values := field["json_schema"].get("enum"):
                out.print(clean(", ".join(values)), style="dim", markup=False)
            if answer := input("› ").strip():
                answers[field["field"]] = answer
    except EOFError:
        out.print()
    return answers


def print_response(
    out: Console, result: Mapping[str, Any], profile: Profile, language: Language, budget: int | None = None
) -> None:
    """Print the decision, the answer by section, what was taken out of it, and what it rests on."""
    account = result["metadata"]
    _print_opening(out, result["decision"], account["article_title"], result["confidence"], language)
    if result["message"]:
        _say(out, result["message"], "yellow")
    for section in result["response"]["sections"]:
        _heading(out, f"\n{section['topic']}")
        for item in section["answer_components"]:
            print_indented(out, item, indent=2)
        for number, step in enumerate(section["steps"], start=1):
            print_indented(out, f"{number}. {step}", indent=2)
        for warning in section["warnings"]:
            print_indented(out, language.translate("view_warning", text=warning), indent=2, style="yellow")
    for violation in result["guardrails"]["violated"]:
        removed = language.translate("view_removed", rule=violation["rule"], removed=violation["removed"])
        _say(out, f"\n{removed}", "red")
    _print_end(out, result, profile, language)
    if account["chunks_used"]:
        out.print(
            language.translate(
                "view_account",
                tokens=account["token_count"],
                maximum=budget or profile.case.response.max_tokens,
                context=account["context_tokens"],
                answer=account["answer_tokens"],
                chunks=account["chunks_used"],
                checked=result["guardrails"]["checked"],
            ),
            style="dim",
            markup=False,
        )


def _print_opening(out: Console, decision: str, title: str, confidence: float, language: Language) -> None:
    """Print the decision, if there is one, and the article of the case, if it has one: the first of them in bold.

    A confidence is an estimate, and never shown as certainty; without an article, there is nothing that it is of.
    """
    guide = (
        language.translate("view_guide", guide=title, confidence=written(min(confidence, MOST_SHOWN), 2, language.code))
        if title
        else ""
    )
    if decision:
        _heading(out, language.translate(f"view_decision_{decision}"))
    if guide:
        out.print(clean(guide), style="" if decision else "bold", markup=False)


def _print_field(out: Console, field: Mapping[str, Any], language: Language) -> None:
    mark = "*" if field["required"] else " "
    guess = f", {language.translate('view_uncertain')}" if field["uncertain"] else ""
    data_type = language.translate(f"view_type_{field['data_type']}")
    print_indented(
        out,
        f"{mark} {field['field']} ({data_type}{guess}): {field['description']}",
        indent=2,
    )
    print_indented(out, language.translate("view_why", why=field["why_needed"]), indent=6, style="dim")


def _print_end(out: Console, result: Mapping[str, Any], profile: Profile, language: Language) -> None:
    """Print warnings, sources (each article once), how the case is put as a question, and what the result is not."""
    for warning in result["warnings"]:
        _say(out, f"\n{language.translate('view_warning', text=warning)}", "yellow")
    if result["sources"]:
        _heading(out, f"\n{language.translate('view_sources')}")
    for article, laws in _articles(result["sources"]).items():
        print_indented(out, article, indent=2)
        for (law_id, law), labels in laws.items():
            print_indented(out, f"{law}: {', '.join(labels)}", indent=4)
            print_indented(out, law_url(law_id), indent=4, style="cyan")
    command = shlex.join(["articulado", "ask", " ".join(clean(result["metadata"]["question"]).split())])
    out.print(Text(f"\n{language.translate('view_ask_question', command=command)}"), soft_wrap=True)
    _say(out, f"\n{notice(language, law=profile.features.spanish_law)}", "dim")


def _articles(sources: Sequence[Mapping[str, Any]]) -> dict[str, dict[tuple[str, str], dict[str, None]]]:
    """Return the provisions of each article that the author was shown, by id and name of their law, each once."""
    by_article: dict[str, dict[tuple[str, str], dict[str, None]]] = {}
    for source in sources:
        laws = by_article.setdefault(f"{source['article_title']} ({source['article_id']})", {})
        for cited in source["cited"]:
            laws.setdefault((cited["law_id"], cited["law"]), {})[cited["provision"]] = None
    return by_article


def _heading(out: Console, text: str) -> None:
    out.print(clean(text), style="bold", markup=False)


def _say(out: Console, text: str, style: str) -> None:
    out.print(clean(text), style=style, markup=False)
