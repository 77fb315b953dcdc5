"""The scope of a collective agreement on screen."""

from rich.console import Console

from articulado.legal.agreements.names import area, validity_of
from articulado.values.chunks import Agreement
from cli.render import clean


def print_scope(out: Console, agreement: Agreement) -> None:
    """Print for whom, where and when an agreement was agreed, as far as it says so."""
    lines = (
        ("Sector", agreement["sector"]),
        ("Empresa", agreement["company"]),
        ("Territorio", area(agreement)),
        ("Vigencia pactada", validity_of(agreement)),
    )
    for name, value in lines:
        if value:
            out.print(clean(f"{name}: {value.removesuffix('.')}."), style="dim", markup=False)
