"""Where things lie, for tests at any depth."""

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
"""The project's folder."""
DATA = REPOSITORY / "tests" / "data"
"""Made-up laws and tables of expected values."""
SHARED = REPOSITORY.parent / "shared"
"""Real laws and gold sets, which may stand beside the project."""
