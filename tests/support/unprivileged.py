"""Programs that file permissions hold for, whoever runs the tests."""

import os
import shutil
import subprocess
import sys

import pytest
from support.paths import REPOSITORY

DROPPED = "-dac_override,-dac_read_search"


def articulado(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command line of articulado; root does without the capabilities that make it pass every permission."""
    prefix = [] if os.geteuid() else _without_capabilities()
    return subprocess.run(
        [*prefix, sys.executable, "-c", "from cli.main import run; raise SystemExit(run())", *map(str, arguments)],
        cwd=REPOSITORY,
        env={**os.environ, "COLUMNS": "1000", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def _without_capabilities() -> list[str]:
    prefix = ["setpriv", f"--bounding-set={DROPPED}", f"--inh-caps={DROPPED}"]
    if not shutil.which("setpriv") or subprocess.run([*prefix, "true"], check=False, capture_output=True).returncode:
        pytest.skip("root cannot give up its capabilities here")
    return prefix
