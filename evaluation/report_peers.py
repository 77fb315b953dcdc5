"""Section of a report on the peers: what others find on the same provisions."""

from collections.abc import Iterable

from evaluation.findings import Findings
from evaluation.metrics import MAIN
from evaluation.report_rows import COMPARED, NOT_COMPARED, SHOWN, difference, metric_row
from evaluation.report_text import table
from language.formats import figure


def peer_sections(found: Findings) -> Iterable[str]:
    """Yield the section, where peers were asked for; those that are not installed are named."""
    peers = found.peers
    if not peers.runs and not peers.missing:
        return
    lines = ["## Otros buscadores"]
    if peers.runs:
        lines.append(
            f"Los mismos {figure(peers.provisions)} preceptos, enteros, y las mismas preguntas, una tras otra. Los que "
            "usan vectores usan los mismos, de análisis semántico latente. La diferencia es lo que gana la "
            "configuración en uso."
        )
        rows = [["articulado", *metric_row(found.outcome.measured)[1:], *NOT_COMPARED, "–", "–", "–"]]
        for run, one in zip(peers.runs, found.rivals, strict=True):
            packages = ", ".join(f"{name} {version}" for name, version in run.packages.items())
            times = [figure(run.index_seconds, 1), figure(run.question_ms, 1)]
            rows.append([*metric_row(one.configuration), *difference(one), packages, *times])
        columns = [f"Δ {MAIN} de articulado", *COMPARED, "Paquetes", "Indexar (s)", "Pregunta (ms)"]
        lines.append(table(["Buscador", *SHOWN, *columns], rows))
    lines += [f"- {message}" for message in peers.missing.values()]
    yield "\n\n".join(lines)
