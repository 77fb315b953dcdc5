"""Programs that file permissions hold for, whoever runs the tests."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence

import pytest
from support.paths import REPOSITORY

DROPPED = "-dac_override,-dac_read_search"


_EACH = """
import contextlib, io, json, os, sys
from cli.main import run
plain = dict(os.environ)
for arguments, environment in json.loads(sys.stdin.read()):
    os.environ.clear()
    os.environ.update(plain, **environment)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = run(arguments)
    print(json.dumps([status, out.getvalue(), err.getvalue()]))
"""


def articulado_each(
    commands: Mapping[str, tuple[Sequence[object], Mapping[str, str]]],
) -> dict[str, subprocess.CompletedProcess[str]]:
    """Run several command lines, each with its environment, in one such process; return what each has ended with."""
    prefix = [] if os.geteuid() else _without_capabilities()
    asked = [([str(argument) for argument in arguments], {**more}) for arguments, more in commands.values()]
    done = subprocess.run(
        [*prefix, sys.executable, "-c", _EACH],
        cwd=REPOSITORY,
        env={**os.environ, "COLUMNS": "1000"},
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
    )
    ended = [json.loads(line) for line in done.stdout.splitlines()]
    return {
        name: subprocess.CompletedProcess(arguments, *results)
        for (name, (arguments, _)), results in zip(commands.items(), ended, strict=True)
    }


def _without_capabilities() -> list[str]:
    prefix = ["setpriv", f"--bounding-set={DROPPED}", f"--inh-caps={DROPPED}"]
    if not shutil.which("setpriv") or subprocess.run([*prefix, "true"], check=False, capture_output=True).returncode:
        pytest.skip("root cannot give up its capabilities here")
    return prefix
