"""Small made-up laws for tests of ingestion."""

from pathlib import Path


def write_law(file: Path, identifier: str, *texts: str) -> Path:
    """Write a law whose articles, from 1, have these texts."""
    articles = "".join(
        f"##### Artículo {number}. Asunto {number}.\n\n{text}\n\n"
        for number, text in enumerate(texts or ("El descanso semanal es de día y medio.",), start=1)
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        f'---\ntitle: "Ley {identifier}"\nidentifier: "{identifier}"\nrank: "ley"\n'
        f'publication_date: "2000-01-02"\n---\n{articles}'
    )
    return file
