"""Telling how far a run of ingestion is."""

from langgraph.runtime import Runtime

from ingestion.indexing.build import Progress


def progress_of(runtime: Runtime[None]) -> Progress:
    """Return what tells whoever streams the run how far a step is."""

    def progress(step: str, done: int, total: int) -> None:
        runtime.stream_writer({"type": "progress", "step": step, "done": done, "total": total})

    return progress
