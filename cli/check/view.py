"""The check of a brief on screen."""

from datetime import date

from rich.console import Console

from articulado.language.formats import long_day
from articulado.verification.briefs.passages import BriefReport, CheckedParagraph, DayOrigin
from cli.render import clean, print_indented

_ORIGINS: dict[DayOrigin, str] = {
    "option": "la indicada con --date",
    "brief": "la que lleva el escrito",
    "today": "hoy: el escrito no lleva fecha",
}
_CHECKS = {"citation": "Cita", "quotation": "Texto citado", "figure": "Cifra"}

_UNSURE = "No consta con seguridad cuál era entonces la redacción: compruébela en el BOE."

_LONGEST = 500
"""Characters of a quotation or of the law that are shown."""


def print_report(out: Console, report: BriefReport) -> None:
    """Print what is wrong in a brief, paragraph by paragraph, then what could not be checked."""
    day = long_day(date.fromisoformat(report["day"]).isoformat())
    out.print(f"Derecho vigente el {day} ({_ORIGINS[report['day_origin']]}).", style="dim", markup=False)
    faulty = [paragraph for paragraph in report["paragraphs"] if paragraph["findings"]]
    for paragraph in faulty:
        _print_paragraph(out, paragraph)
    cited = sum(len(paragraph["citations"]) for paragraph in report["paragraphs"])
    found = sum(len(paragraph["findings"]) for paragraph in faulty)
    out.print()
    if found:
        summary = "1 hallazgo" if found == 1 else f"{found} hallazgos"
        out.print(f"{summary} en {_counted(cited)}.", style="bold red", markup=False)
    else:
        out.print(f"Nada que objetar en {_counted(cited)}.", style="bold green", markup=False)
    _print_unchecked(out, report)


def _counted(cited: int) -> str:
    return "1 precepto citado" if cited == 1 else f"{cited} preceptos citados"


def _print_paragraph(out: Console, paragraph: CheckedParagraph) -> None:
    page = f"Página {paragraph['page']}, párrafo" if paragraph["page"] else "Párrafo"
    out.print(f"\n{page} {paragraph['number']}", style="bold", markup=False)
    for finding in paragraph["findings"]:
        print_indented(out, f"{_CHECKS.get(finding['check'], 'Aviso')}: {_short(finding['where'])}", indent=2)
        print_indented(out, finding["message"], indent=4, style="red")
        if finding["severity"] == "warning":
            print_indented(out, _UNSURE, indent=4, style="yellow")
        if finding["evidence"]:
            print_indented(out, f"La ley dice: «{_short(finding['evidence'])}»", indent=4, style="green")


def _print_unchecked(out: Console, report: BriefReport) -> None:
    if report["without_wording"]:
        out.print("\nEl índice no tiene la redacción de esa fecha:", style="dim", markup=False)
        for line in report["without_wording"]:
            print_indented(out, line, indent=2, style="dim")
    others = [ruling["where"] for ruling in report["rulings"] if not ruling["indexed"]]
    if lines := list(dict.fromkeys([*report["unchecked"], *others])):
        out.print("\nNo se puede comprobar con este índice:", style="dim", markup=False)
        for line in lines:
            print_indented(out, line, indent=2, style="dim")
    if confirmed := list(dict.fromkeys(ruling["where"] for ruling in report["rulings"] if ruling["indexed"])):
        out.print("\nResoluciones que el índice tiene:", style="dim", markup=False)
        for line in confirmed:
            print_indented(out, line, indent=2, style="dim")


def _short(text: str) -> str:
    plain = clean(" ".join(text.split()))
    return plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]}…"
