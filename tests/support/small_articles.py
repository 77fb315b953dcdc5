"""Small made-up articles and a profile of data files alone, for tests."""

from pathlib import Path
from typing import Any

import yaml

PROFILE = """
name = "jardin"
title = "Garden help desk"
language = "en"

[[collections]]
name = "guides"
label = "Guides"

[[collections]]
name = "notes"
label = "Notes"

[[filter_fields]]
name = "climate"
label = "Climate"
[filter_fields.values]
"Dry zone" = ["dry", "arid"]
"Wet zone" = ["wet"]

[[filter_fields]]
name = "tool"
label = "Tool"

[[filter_fields]]
name = "topic"
label = "Topic"
[filter_fields.values]
pruning = ["prune"]
watering = ["water"]
"""


def article(**changes: Any) -> dict[str, Any]:
    """Return an article; a change of ``None`` takes a key away."""
    whole = {
        "id": "dry-zone-pruning",
        "title": "Pruning roses in the dry zone",
        "topic": "pruning",
        "updated": "2026-11-01",
        "climate": "Dry zone",
        "inquiries": ["When do I cut my roses back?"],
        "chunks": [required_data(), decision_guide(), guardrails()],
    }
    return {name: value for name, value in {**whole, **changes}.items() if value is not None}


def required_data(**changes: Any) -> dict[str, Any]:
    datum = {
        "field": "plant_age",
        "group": "participant_data",
        "description": "Age of the plant in years",
        "why_needed": "Young plants are left alone",
        "data_type": "number",
        "required": True,
        "aliases": ["years"],
    }
    return {
        "type": "required_data",
        "title": "Data for pruning",
        "text": "Ask first.",
        "fields": [{**datum, **changes}],
    }


def decision_guide(**changes: Any) -> dict[str, Any]:
    rule = {"when": {"field": "plant_age", "below": 2}, "decision": "out_of_scope", "because": "It is too young"}
    return {"type": "decision_guide", "text": "Look at the age.", "rules": [{**rule, **changes}]}


def guardrails(*patterns: str) -> dict[str, Any]:
    guard = {"id": "no-promise", "rule": "Do not promise flowers", "violated_by": list(patterns or ("will bloom",))}
    return {"type": "guardrails", "guards": [guard]}


def write_article(file: Path, **changes: Any) -> Path:
    """Write an article; the day of its update stays a day."""
    file.parent.mkdir(parents=True, exist_ok=True)
    written = article(**changes)
    days = f"updated: {day}\n" if (day := written.pop("updated", None)) else ""
    file.write_text(days + yaml.safe_dump(written, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return file


def write_profile(folder: Path, more: str = "", *, name: str = "jardin") -> Path:
    """Write the profile; ``more`` are sections at its end."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "garden.toml"
    file.write_text(PROFILE.replace('"jardin"', f'"{name}"') + more, encoding="utf-8")
    return file


BRINGS_ALONG = '\n[knowledge]\nfolder = "garden/articles"\ncollection = "guides"\n'
"""What makes the profile bring along the articles of ``garden/articles`` beside its file."""
