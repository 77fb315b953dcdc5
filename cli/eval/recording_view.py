"""What ``articulado eval`` says of a recording: its day, what it lacks, and what nobody asked for."""

from rich.console import Console

from cli.tables import say, table
from evaluation.measure import Measurement
from evaluation.recording.recording import REPLIES, WAITING
from evaluation.recording.run import RecordedRun

MAX_STALE = 10


def print_recording(out: Console, measurement: Measurement, run: RecordedRun) -> None:
    """Print what a recorded run was, then the questions that it could not finish and the replies they wait for."""
    recording = run.recording
    say(out, f"\nGrabación: {run.describe()} ({len(recording.asked)} consultas)", style="bold")
    for difference in recording.differences:
        say(out, difference, style="yellow")
    if stale := recording.stale:
        more = f" y {len(stale) - MAX_STALE} más" if len(stale) > MAX_STALE else ""
        say(out, f"Respuestas que ninguna consulta ha pedido: {', '.join(stale[:MAX_STALE])}{more}.", style="yellow")
        say(out, "Son de otras preguntas, o han cambiado el índice, los textos o las opciones.", indent=4)
    if measurement.unfinished:
        say(out, waiting_for(measurement), style="yellow")
        rows = [(id_, name, missing.role, missing.hash) for (name, id_), missing in measurement.unfinished.items()]
        table(out, ("Sin terminar", "Fichero", "Falta", "Consulta"), rows)


def waiting_for(measurement: Measurement) -> str:
    """Return how many replies a recording lacks, and where they are to be written."""
    assert measurement.recorded is not None  # else nothing waits
    recording = measurement.recorded.recording
    waiting, replies = recording.folder / WAITING, recording.folder / REPLIES
    return (
        f"Faltan {len(recording.missing)} respuestas, y {len(measurement.unfinished)} preguntas o conversaciones no se "
        f"miden. Lea cada consulta en {waiting}, escriba su respuesta en {replies}/<consulta>.txt y repita la orden."
    )
