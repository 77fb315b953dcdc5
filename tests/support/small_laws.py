"""Small made-up laws for tests of ingestion."""

from pathlib import Path


def write_law(file: Path, identifier: str, *texts: str, updated: str = "") -> Path:
    """Write a law whose articles, from 1, have these texts; ``updated`` is the day of its last reform."""
    articles = "".join(
        f"##### Artículo {number}. Asunto {number}.\n\n{text}\n\n"
        for number, text in enumerate(texts or ("El descanso semanal es de día y medio.",), start=1)
    )
    day = f'last_updated: "{updated}"\n' if updated else ""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        f'---\ntitle: "Ley {identifier}"\nidentifier: "{identifier}"\nrank: "ley"\n'
        f'publication_date: "2000-01-02"\n{day}---\n{articles}'
    )
    return file
