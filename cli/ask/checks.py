"""What stands below an answer on screen: its sources, what was checked, or what an abstention rests on."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console

from articulado.language.folding import fold
from articulado.language.formats import long_day, written
from cli.names import named
from cli.render import clean, notice, print_indented, print_sources, print_warnings

if TYPE_CHECKING:
    from articulado.config.profile import Profile
    from articulado.language.languages import Language
    from articulado.values.answers import Citation

MAX_REMISSIONS = 5
"""Provisions that are named of those which cited texts refer to and nobody has read."""
MAX_WORDS = 50
"""Words that are shown of a provision that the answer names and the model had not read."""
MAX_WHERE = 70
"""Characters of the place in the answer that a finding is about."""


def print_end(out: Console, result: Mapping[str, Any], profile: "Profile", language: "Language") -> None:
    """Print what follows an answer, in the language of its profile, and what it is not."""
    print_below(out, result, language)
    out.print(f"\n{notice(language, law=profile.features.spanish_law)}", style="dim", markup=False)


def print_below(out: Console, result: Mapping[str, Any], language: "Language") -> None:
    """Print what stands below an answer: its sources, what was checked, and warnings."""
    print_sources(out, result["citations"], language, result.get("answer", ""))
    print_unread(out, result.get("unread", []), language)
    print_checks(out, result, language)
    print_warnings(out, result["warnings"], language.translate("view_warning", text="{text}"))


def print_unread(out: Console, unread: "Sequence[Citation]", language: "Language") -> None:
    """Print what the answer names and the model had not read, and how it begins."""
    if unread:
        out.print(f"\n{language.translate('view_not_read')}", style="yellow", markup=False)
    for source in unread:
        print_indented(
            out, f"- {named(source['law'], source['provision'])}: {_beginning(source['text'])}", indent=2, hang=2
        )
        if source["url"]:
            print_indented(out, source["url"], indent=7, style="cyan")


def _beginning(text: str) -> str:
    words = text.split()
    return " ".join(words) if len(words) <= MAX_WORDS else f"{' '.join(words[:MAX_WORDS])} […]"


def print_checks(out: Console, result: Mapping[str, Any], language: "Language") -> None:
    """Print what does not stand, what the cited law leaves open, and of which day it is; a line where all is well."""
    if certificate := result.get("certificate"):
        _print_certificate(out, certificate, language)
    if not result["citations"] or result.get("abstained"):
        return
    findings = result.get("findings", [])
    if findings:
        out.print(f"\n{language.translate('view_findings')}", style="bold yellow", markup=False)
    for finding in findings:
        print_indented(out, f"- «{_cut(finding['where'])}»: {finding['message']}", indent=2, hang=2, style="yellow")
    for note in result.get("precedence", []):
        out.print(f"\n{clean(note)}", style="yellow", markup=False)
    lines = [] if findings else [language.translate("view_all_stands")]
    lines += [*_remissions(result, language), *_freshness(result, language)]
    if lines:
        out.print()
    for line in lines:
        print_indented(out, line, indent=0, style="dim")


def _cut(where: str) -> str:
    where = " ".join(where.split())
    return where if len(where) <= MAX_WHERE else f"{where[:MAX_WHERE].rsplit(' ', 1)[0]} […]"


def _remissions(result: Mapping[str, Any], language: "Language") -> list[str]:
    """Return the line on what cited texts refer to and nobody has read, by law; none where there is nothing.

    What the answer names itself has been told (``print_unread``).
    """
    told = {(source["law"], fold(source["provision"])) for source in result.get("unread", [])}
    unread = [
        each
        for each in result.get("remissions", [])
        if not each["consulted"] and (each["law"], fold(each["provision"])) not in told
    ]
    if not unread:
        return []
    by_law: dict[str, list[str]] = {}
    for each in unread[:MAX_REMISSIONS]:
        by_law.setdefault(each["law"], []).append(each["provision"])
    named_by_law = "; ".join(f"{', '.join(provisions)} ({law})" for law, provisions in by_law.items())
    rest = len(unread) - MAX_REMISSIONS
    more = f" {language.translate('view_more', number=rest)}" if rest > 0 else ""
    return [language.translate("view_remissions", named=named_by_law, more=more)]


def _freshness(result: Mapping[str, Any], language: "Language") -> list[str]:
    """Return the line on the days of index and laws; none where no day is known."""
    freshness = result.get("freshness") or {}
    dated = [each for each in freshness.get("laws", []) if each["last_change"]]
    laws = [f"{each['law']}: {_day(each['last_change'], language)}" for each in dated]
    index_day = freshness.get("index_day")
    said = [language.translate("view_index_day", day=_day(index_day, language))] if index_day else []
    said += [language.translate("view_last_changes", laws="; ".join(laws))] if laws else []
    return [" ".join(said)] if said else []


def _day(day: str, language: "Language") -> str:
    return long_day(day) if language.code == "es" else day


def _print_certificate(out: Console, certificate: Mapping[str, Any], language: "Language") -> None:
    """Print what an abstention rests on: how much was read, what came nearest, what of the question was nowhere."""
    if not certificate["candidates"]:
        return
    out.print()
    probability = certificate["relevance"]
    summary = language.translate("view_certificate", number=certificate["candidates"])
    summary += "." if probability is None else language.translate("view_probability", percent=_percent(probability))
    print_indented(out, summary, indent=0, style="dim")
    for best in certificate["best"]:
        scored = language.translate("view_scored", relevance=written(best["relevance"], 2))
        print_indented(out, f"- {named(best['law'], best['provision'])} {scored}", indent=2, hang=2, style="dim")
    if certificate["missing"]:
        words = ", ".join(map(language.quoted, certificate["missing"]))
        print_indented(out, language.translate("view_missing", words=words), indent=0, style="dim")


def _percent(probability: float) -> str:
    return "< 1 %" if probability < 0.01 else f"{round(100 * probability)} %"
