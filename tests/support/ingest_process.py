"""A process that ingests a folder; it says when it begins, so that a test can kill it while it works."""

import asyncio
import sys
from pathlib import Path

from graph.ingest import build_ingest
from services.factory import build_ingest_services
from services.profile.profile import load_profile
from services.settings import Settings


def main() -> None:
    folder, index, home = map(Path, sys.argv[1:])
    settings = Settings.read(env_file=None, index=index, home=home)
    graph = build_ingest(build_ingest_services(settings, load_profile(settings.profile)))
    print("begins", flush=True)
    asyncio.run(graph.ainvoke({"paths": [str(folder)]}))


if __name__ == "__main__":
    main()
