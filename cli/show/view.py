"""Terminal view of provisions and laws."""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import groupby

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from articulado.answering.footnotes import titled
from articulado.ingestion.incremental.indexed_laws import IndexedLaw, list_provisions
from articulado.language.languages import Language
from articulado.legal.agreements.names import area, validity_of
from articulado.retrieval.references import Link, ProvisionDetail, Version
from articulado.values.chunks import REPEALED, Agreement, Status
from cli.render import clean, placed, print_indented


def print_scope(out: Console, agreement: Agreement) -> None:
    """Print sector, company, territory and term of an agreement, as far as it gives them."""
    lines = (
        ("Sector", agreement["sector"]),
        ("Empresa", agreement["company"]),
        ("Territorio", area(agreement)),
        ("Vigencia pactada", validity_of(agreement)),
    )
    for name, value in lines:
        if value:
            out.print(clean(f"{name}: {value.removesuffix('.')}."), style="dim", markup=False)


_REFERENCE = re.compile(r"\s*Ref\. \S+$")

STATUSES: dict[Status, str] = {
    "vigente": "vigente",
    "modificada": "vigente (modificada)",
    "parcialmente_derogada": "vigente en parte",
    "derogada": "derogada",
    "agotada": "agotada",
}


def print_provision(out: Console, detail: ProvisionDetail, today: date, language: Language) -> None:
    """Print a provision: heading, validity, text, wordings, amendments, and references in both directions."""
    heading = titled(detail["provision"], detail["title"])
    print_indented(out, f"{detail['law']} ({detail['law_id']})", indent=0, style="bold")
    if heading != detail["law"]:
        print_indented(out, heading, indent=0, style="bold")
    names = (detail["law"], heading, detail["provision"], detail["title"])
    if place := placed(detail["breadcrumb"], detail["provision_key"], *names):
        print_indented(out, place, indent=0, style="dim")
    if detail["agreement"]:
        print_scope(out, detail["agreement"])
    if detail["page"]:
        out.print(f"Página {detail['page']}.", style="dim")
    state, style = "" if detail["document"] else _state(detail, today), "green" if _rules(detail, today) else "yellow"
    validity = f": {_validity(detail)}" if detail["official"] else ""
    # Of an agreement without a day of publication nothing more is known than what was agreed.
    if detail["document"]:
        out.print(language.translate("view_own_document", document=detail["document"]), style="dim", markup=False)
    elif not detail["agreement"] or detail["valid_from"]:
        out.print(f"{state[0].upper()}{state[1:]}{validity}.", style=style)
    if detail["status_note"]:
        print_indented(out, language.translate("view_note", note=detail["status_note"]), indent=0, style="yellow")
    if not (detail["official"] or detail["document"]):
        out.print(language.translate("view_not_official"), style="dim")
    _print_text(out, detail, language)
    if detail["url"]:
        out.print(Text(f"\n{clean(detail['url'])}", style="cyan"), soft_wrap=True)
    if detail["official"] and len(detail["wordings"]) > 1:
        _print_wordings(out, detail, today)
    _print_amendments(out, detail)
    _print_links(out, "Cita", detail["cites"])
    _print_links(out, "Lo citan", detail["cited_by"])


def print_law(out: Console, law: IndexedLaw, example: str, language: Language) -> None:
    """Print the indexed provisions of a law, and an example of a reference to one."""
    print_indented(out, f"{law.title} ({law.law_id})", indent=0, style="bold")
    if not law.official:
        out.print(language.translate("view_not_official"), style="dim")
    if law.agreement:
        print_scope(out, law.agreement)
    if law.labels:
        print_indented(out, f"Preceptos en el índice: {list_provisions(law.labels)}.", indent=0)
    for file in law.files:
        out.print(clean(f"Procede de {file}"), markup=False)
    if example:
        out.print(clean(f'Para ver uno: articulado show "{example}"'), markup=False)


def _print_text(out: Console, detail: ProvisionDetail, language: Language) -> None:
    for remark in detail["remarks"]:
        out.print(f"\n{clean(remark)}", style="yellow", markup=False)
    excerpts = detail["excerpts"]
    whole = not excerpts or any(excerpt["missing"] and not excerpt["nearest"] for excerpt in excerpts)
    for excerpt in excerpts:
        if excerpt["missing"]:
            out.print(f"\n{clean(excerpt['missing'])}", style="yellow", markup=False)
            if whole or not excerpt["nearest"]:
                continue
        names = {"apartado": excerpt["apartado"], "letra": "" if excerpt["missing"] else excerpt["letter"]}
        part_name = ", ".join(f"{kind} {number}" for kind, number in names.items() if number)
        part_name += ")" * bool(names["letra"])
        heading = f"\n{part_name.capitalize()} (solo esta parte: sin nombrarla se muestra el precepto entero)"
        out.print(heading, style="bold", markup=False)
        print_indented(out, excerpt["text"] or excerpt["nearest"], indent=2)
    if whole:
        kind = "view_plain_language" if detail["official"] or detail["document"] else "view_summary"
        summary = detail["summary"] and language.translate(kind, summary=detail["summary"])
        for text in filter(None, (summary, detail["text"])):
            out.print()
            print_indented(out, text, indent=2)


def _print_wordings(out: Console, detail: ProvisionDetail, today: date) -> None:
    out.print(f"\nRedacciones ({len(detail['wordings'])})", style="bold")
    table = Table(box=None if out.soft_wrap else SIMPLE_HEAD, pad_edge=False)
    for heading in ("Desde", "Hasta", "Estado"):
        table.add_column(heading)
    for wording in detail["wordings"]:
        several = len(detail["wordings"]) > 1 and wording["valid_from"] == detail["valid_from"]
        mark = " (la de arriba)" if several else ""
        table.add_row(wording["valid_from"] or "", _last_day(wording) or "", _state(wording, today) + mark)
    out.print(table)


def _print_amendments(out: Console, detail: ProvisionDetail) -> None:
    others = [note for note in detail["notes"] if _REFERENCE.sub("", note).strip(" .") not in detail["status_note"]]
    if others:
        title = "Modificaciones anotadas" if len(others) == len(detail["notes"]) else "Otras modificaciones anotadas"
        out.print(f"\n{title}", style="bold")
    for note in others:
        print_indented(out, f"– {note}", indent=2, hang=2)


def _print_links(out: Console, heading: str, links: Sequence[Link]) -> None:
    if not links:
        return
    out.print(f"\n{heading} ({len(links)})", style="bold")
    for law, of_law in groupby(links, lambda link: link["law"]):
        print_indented(out, law, indent=2)
        for link in of_law:
            ended = f" ({STATUSES[link['status']]})" if link["status"] in REPEALED else ""
            title = titled(link["provision"], link["title"]).removeprefix(link["provision"])
            line = Text(clean(f"    {link['provision']}{ended}{title}"))
            if not out.soft_wrap:
                line.truncate(out.width, overflow="ellipsis")
            out.print(line)


def _rules(version: Version, today: date) -> bool:
    day = today.isoformat()
    return (
        version["status"] not in REPEALED
        and (version["valid_from"] or "") <= day
        and (version["valid_to"] or "9999") > day
    )


def _state(version: Version, today: date) -> str:
    if version["status"] not in REPEALED and (version["valid_to"] or "9999") <= today.isoformat():
        return "redacción anterior"
    return (
        "aún no en vigor"
        if (version["valid_from"] or "") > today.isoformat()
        else STATUSES[version["status"] or "vigente"]
    )


def _validity(version: Version) -> str:
    last, repealed = _last_day(version), version["status"] in REPEALED
    until = f" hasta {last}" if last else ", sin que conste hasta cuándo" if repealed else ""
    return f"{'rigió ' if repealed else ''}desde {version['valid_from'] or 'siempre'}{until}"


def _last_day(version: Version) -> str | None:
    if version["valid_to"] is None:
        return None
    return (date.fromisoformat(version["valid_to"]) - timedelta(days=1)).isoformat()
