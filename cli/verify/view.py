"""What ``articulado verify`` shows of a dossier."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.console import Console

from articulado.language.formats import long_day
from cli.render import clean, print_indented

if TYPE_CHECKING:
    from articulado.verification.dossier import Dossier, ProvisionChange, Recheck


def print_recheck(out: Console, dossier: "Dossier", result: "Recheck") -> None:
    """Print what was checked, what the answer says that its sources do not, and what has changed since."""
    provenance = dossier["provenance"]
    out.print(f"Pregunta: {clean(dossier['question'])}", markup=False)
    model = provenance["models"].get("principal", "")
    print_indented(out, f"Respondida el {long_day(dossier['today'])}; modelo: {model}.", indent=0)
    out.print()
    for check in result["checks"]:
        sign, style = ("✓", "green") if check["ok"] else ("✗", "red")
        print_indented(out, f"{sign} {check['message']}", indent=0, style=style)
    for finding in result["findings"]:
        print_indented(out, f"«{finding['where']}»: {finding['message']}", indent=2)
    _print_changes(out, "Ha cambiado desde entonces, de lo que se cita:", (c for c in result["changes"] if c["cited"]))
    _print_changes(out, "Y del resto de lo que se leyó:", (c for c in result["changes"] if not c["cited"]))
    if not result["changes"]:
        out.print("\nDe lo que se leyó, nada ha cambiado desde entonces.")


def _print_changes(out: Console, title: str, changes: "Iterable[ProvisionChange]") -> None:
    for position, change in enumerate(changes):
        if position == 0:
            out.print(f"\n{title}", markup=False)
        print_indented(
            out, f"[{change['mark']}] {change['law']}, {change['provision']}: {change['message']}.", indent=2
        )
