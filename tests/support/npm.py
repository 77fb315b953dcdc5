"""Programs of npm packages, which are installed once for a user of this machine, from the registry."""

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

INSTALL_SECONDS = 300


def npm_packages(*packages: str) -> Path:
    """Return a folder with the packages (``name@version``); skips where Node or the registry is missing."""
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("Node is not installed (Debian: apt-get install nodejs npm)")
    name = hashlib.sha256("\n".join(packages).encode()).hexdigest()[:16]
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "articulado-tests", "npm", name)
    if not (folder / "installed").exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text(json.dumps({"private": True, "type": "module"}), encoding="utf-8")
        options = ("--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=0")
        command = ("npm", "install", *options, *packages)
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False)
        if done.returncode:
            pytest.skip(f"npm cannot install {', '.join(packages)}: {done.stderr.strip()[-300:]}")
        (folder / "installed").touch()
    return folder


def run_module(folder: Path, program: str, *arguments: str) -> Any:
    """Run a module of JavaScript that may import the packages of a folder; returns the JSON that it prints."""
    command = ("node", "--input-type=module", "--eval", program, "--", *arguments)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
