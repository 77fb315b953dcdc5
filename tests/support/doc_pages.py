"""Runs the examples of a Markdown page: shell blocks, Python blocks, and the output that is shown after them."""

import contextlib
import io
import json
import os
import re
import shlex
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import typer
from support.loopback import serving
from support.paths import REPOSITORY
from support.waiting import PATIENCE

from articulado.config.profile import load_profile
from articulado.config.settings import Settings
from cli.main import app, run
from graph.open_graphs import OpenGraphs
from server.app import app_over
from server.settings import ServerSettings

FENCE = re.compile(r"^```(sh|bash|console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SERVER = "http://127.0.0.1:8000"
STARTS_SERVER = re.compile(
    r"(?:ARTICULADO_PROFILE=(\S+) )?articulado serve\b[^\n#]*?(?:--profile (\S+))?[^\n]*$", re.MULTILINE
)
OMISSION = "[…]"

ONLY_CHECKED = {
    "articulado serve": "runs until it is interrupted; requests of the page go to a server that the test starts",
    "articulado mcp": "runs until its client ends",
    "docker": "needs Docker",
    "make": "builds an environment, or runs this test",
    "pip": "downloads packages",
    "npx": "downloads packages",
    "git": "needs a remote repository",
    "langgraph": "runs until it is interrupted; tests/server/agent starts it",
    "aegra": "is a program of an extra package",
    "python -m tools": "needs an index of the real laws, or minutes",
    "python -m pytest": "runs this test",
    ".venv/bin/python": "is an environment that `make` builds",
    "python3 -m venv": "builds an environment",
}
"""Beginnings of command lines that do not run here, with the reason. Their subcommands and options must exist."""
ONLY_CHECKED_VARIABLES = {
    "ARTICULADO_READER_PROVIDER": "needs a key",
    "ARTICULADO_PRINCIPAL_PROVIDER": "needs a key",
    "ARTICULADO_EMBEDDER_PROVIDER": "needs a server of embeddings",
    "ARTICULADO_STORE": "needs a server of Qdrant",
    "ARTICULADO_QDRANT_URL": "needs a server of Qdrant",
}
"""Variables that keep a command from running here."""
ONLY_PARSED = {
    "127.0.0.1:2024": "needs an Agent Server; tests/server/agent makes these calls",
    "langgraph_sdk": "needs an Agent Server; tests/server/agent makes these calls",
}
"""Words that keep a block from running here, with the reason. Its syntax must be valid."""
INGESTS = re.compile(r"\barticulado ingest (?!boe)(?!.*--profile)")
OTHER_PROFILE = re.compile(r"plan_401k|my/.*[.]toml\b")
"""Profiles whose first index is built here without a sentence encoder: training one takes 15 seconds."""
FINDINGS = {"check", "verify"}
"""Commands that exit with 1 if they find something."""


@dataclass
class Block:
    """A fenced block; ``line`` is that of its first line in the page."""

    language: str
    text: str
    line: int


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [Block(match[1], match[2], text.count("\n", 0, match.start()) + 2) for match in FENCE.finditer(text)]


def missing_pieces(shown: str, output: str) -> list[str]:
    """Return the pieces between marks of omission that the output does not have in this order; spaces count once."""
    rest, missing = " ".join(output.split()), []
    for piece in shown.split(OMISSION):
        words = " ".join(piece.split())
        start = rest.find(words)
        if start < 0:
            missing.append(words)
        else:
            rest = rest[start + len(words) :]
    return missing


def check_command(arguments: list[str]) -> None:
    """Assert that the subcommands and options of a command line of ``articulado`` exist."""
    command: Any = typer.main.get_command(app)
    rest = list(arguments)
    if rest[0] == "ingest" and rest[1:2] not in (["boe"], ["remove"]):
        rest.insert(1, "rutas")
    while rest and not rest[0].startswith("-") and hasattr(command, "resolve_command"):
        _, command, rest = command.resolve_command(typer.Context(command, resilient_parsing=True), rest)
    named = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    options = {argument.partition("=")[0] for argument in rest if argument.startswith("--") and argument != "--"}
    assert options - {"--help"} <= named, f"{shlex.join(arguments)}: no option {sorted(options - named)}"


def check_other_program(words: list[str]) -> None:
    """Assert that targets, extras, modules and options of another program's command line exist."""
    if words[0] == "make":
        makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
        for target in [word for word in words[1:] if "=" not in word]:
            assert re.search(rf"^{re.escape(target)}:", makefile, re.MULTILINE), f"make has no target {target}"
    elif words[0] == "docker" and "admin" in words:
        check_command(words[words.index("admin") + 1 :])
    elif words[0] == "pip":
        project = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
        for extra in re.findall(r"[\w-]+", " ".join(re.findall(r"\[([\w,-]+)\]", " ".join(words)))):
            assert re.search(rf"^{re.escape(extra)} = \[", project, re.MULTILINE), f"there is no extra {extra}"
    elif words[0].endswith("python"):
        file = REPOSITORY / words[1]
        if words[1] == "-m":
            spec = find_spec(words[2])
            assert spec is not None, f"there is no module {words[2]}"
            file = Path(spec.origin or "")
        if file.is_relative_to(REPOSITORY) and "site-packages" not in file.parts:
            source = file.read_text(encoding="utf-8")
            missing = [word for word in words if word.startswith("--") and f'"{word.partition("=")[0]}"' not in source]
            assert not missing, f"{file.name} has no option {missing}"


def _reason(words: list[str], environment: dict[str, str]) -> str:
    line = f"{' '.join(words)} "
    reasons = [
        reason for start, reason in ONLY_CHECKED.items() if line.startswith((f"{start} ", f"{start}.", f"{start}/"))
    ]
    variables = [ONLY_CHECKED_VARIABLES[name] for name in ONLY_CHECKED_VARIABLES if environment.get(name)]
    return next(iter([*reasons, *variables]), "")


_CLIENT = """#!{python} -IS
import json, os, socket, sys
call = {{"words": [{name!r}, *sys.argv[1:]], "folder": os.getcwd(), "environment": dict(os.environ),
         "input": sys.stdin.buffer.read().decode("utf-8", "replace")}}
with socket.socket(socket.AF_UNIX) as client:
    client.connect({address!r})
    client.sendall(json.dumps(call).encode())
    client.shutdown(socket.SHUT_WR)
    reply = json.loads(b"".join(iter(lambda: client.recv(65536), b"")))
sys.stdout.write(reply["output"])
sys.stderr.write(reply["errors"])
sys.exit(reply["status"])
"""
"""Program that hands its command line to the test process: starting Python with all modules takes seconds."""


@dataclass
class Reader:
    """A reader who follows one page in a folder, with an index and a server of their own."""

    page: Path
    folder: Path
    environment: dict[str, str]
    ingesting: dict[str, str]
    """Variables of blocks that ingest documents: an index without the packaged records, which take half a minute."""
    namespace: dict[str, Any] = field(default_factory=lambda: {"__name__": "__page__"})
    problems: list[str] = field(default_factory=list)
    servers: dict[str, str] = field(default_factory=dict)
    stack: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    profile: str = ""

    def follow(self) -> list[str]:
        """Run all blocks in order; return the problems, with the line of the page."""
        output: str | None = None
        with self.stack:
            for block in blocks_of(self.page):
                try:
                    if block.language == "console" and not block.text.startswith("$ "):
                        self._compare(block.text, output)
                    elif block.language == "console":
                        for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
                            command, _, shown = part.partition("\n")
                            self._compare(shown, self._shell(command))
                    elif block.language == "python":
                        output = self._python(block)
                    else:
                        output = self._shell(block.text)
                except (Exception, SystemExit) as error:
                    self.problems.append(f"{self.page.name}:{block.line}: {type(error).__name__}: {error}")
        return self.problems

    def _compare(self, shown: str, output: str | None) -> None:
        if output is not None and (missing := missing_pieces(shown, output)):
            raise AssertionError(f"the output has no {missing!r}; it is\n{output}")

    def _addressed(self, text: str) -> str:
        """Replace the address of the served program by that of a server with the profile that the page has started."""
        for match in STARTS_SERVER.finditer(text):
            self.profile = match[1] or match[2] or ""
        if SERVER not in text:
            return text
        if self.profile not in self.servers:
            self.servers[self.profile] = self.stack.enter_context(self._serving())
        return text.replace(SERVER, self.servers[self.profile])

    @contextlib.contextmanager
    def _serving(self) -> Iterator[str]:
        with self._as_reader(self.folder, {"ARTICULADO_PROFILE": self.profile} if self.profile else {}):
            settings = Settings.read()
            opened = OpenGraphs(settings, load_profile(settings.profile))
            # A page that creates keys goes on without them.
            served = app_over(opened, ServerSettings(conversations="memory", keys=self.folder / ".no_keys.json"))
        with serving(served) as url:
            yield url

    @contextlib.contextmanager
    def _as_reader(self, folder: Path, environment: dict[str, str]) -> Iterator[None]:
        before, there = dict(os.environ), Path.cwd()
        os.environ.update({**self.environment, **environment})
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(there)
            os.environ.clear()
            os.environ.update(before)

    def _python(self, block: Block) -> str | None:
        code = compile(
            self._addressed(block.text).replace("art_…", "art_key"), f"{self.page.name}:{block.line}", "exec"
        )
        if any(word in block.text for word in ONLY_PARSED):
            return None
        written = io.StringIO()
        with self._as_reader(self.folder, {}), contextlib.redirect_stdout(written):
            exec(code, self.namespace)
        return written.getvalue()

    def _shell(self, text: str) -> str | None:
        """Run a block with bash; return its output, or nothing if a command of it does not run here."""
        self.skipped = any(word in text for word in ONLY_PARSED)
        programs, address = self.folder / ".programs", str(self.folder / ".socket")
        programs.mkdir(exist_ok=True)
        for name in {"articulado", "python", "python3", *(start.split()[0] for start in ONLY_CHECKED)}:
            program = (self.folder if "/" in name else programs) / name
            program.parent.mkdir(parents=True, exist_ok=True)
            program.write_text(_CLIENT.format(python=sys.executable, name=name, address=address), encoding="utf-8")
            program.chmod(0o755)
        ingesting = self.ingesting if INGESTS.search(text) or self.page.name == "ingest.md" else {}
        environment = {**os.environ, **self.environment, **ingesting, "PATH": f"{programs}:{os.environ['PATH']}"}
        with socket.socket(socket.AF_UNIX) as listening:
            Path(address).unlink(missing_ok=True)
            listening.bind(address)
            listening.listen()
            listening.settimeout(0.02)
            shell = subprocess.Popen(
                ["bash", "-neu" if self.skipped else "-eu", "-o", "pipefail", "-c", self._addressed(text)],
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            written: list[tuple[str, str]] = []
            reading = threading.Thread(target=lambda: written.append(shell.communicate(timeout=PATIENCE)))
            reading.start()
            while reading.is_alive():
                with contextlib.suppress(TimeoutError):
                    connection, _ = listening.accept()
                    connection.settimeout(PATIENCE)
                    with connection:
                        call = json.load(connection.makefile("rb"))
                        connection.sendall(json.dumps(self._run(call)).encode())
        output, errors = written[0]
        if shell.returncode:
            raise AssertionError(f"exit status {shell.returncode}\n{output}\n{errors}")
        return None if self.skipped else output

    def _run(self, call: dict[str, Any]) -> dict[str, Any]:
        """Run or check one command line in this process."""
        words, output, errors, status = call["words"], io.BytesIO(), io.StringIO(), 0
        screen = io.TextIOWrapper(output, encoding="utf-8", write_through=True)
        environment = {name: value for name, value in call["environment"].items() if name.startswith("ARTICULADO_")}
        try:
            if _reason(words, environment):
                self.skipped = True
                check_command(words[1:]) if words[0] == "articulado" else check_other_program(words)
            elif words[0] == "articulado":
                given = io.StringIO(call["input"])
                if OTHER_PROFILE.search(f"{environment.get('ARTICULADO_PROFILE')} {' '.join(words)}"):
                    environment["ARTICULADO_SENTENCES"] = "none"
                with (
                    self._as_reader(Path(call["folder"]), environment),
                    contextlib.redirect_stdout(screen),
                    contextlib.redirect_stderr(errors),
                    _input(given),
                ):
                    status = run(words[1:])
                status = 0 if status == 1 and words[1] in FINDINGS else status
            else:
                ran = subprocess.run(
                    [sys.executable, *words[1:]],
                    cwd=call["folder"],
                    env={**call["environment"], "PYTHONPATH": str(REPOSITORY)},
                    input=call["input"],
                    capture_output=True,
                    text=True,
                    check=False,
                )
                output.write(ran.stdout.encode())
                errors.write(ran.stderr)
                status = ran.returncode
        except Exception as error:
            errors.write(f"{type(error).__name__}: {error}")
            status = 1
        if status:
            errors.write(f"\nexit status {status}: {shlex.join(words)}")
        return {"output": output.getvalue().decode(), "errors": errors.getvalue(), "status": status}


@contextlib.contextmanager
def _input(stream: io.StringIO) -> Iterator[None]:
    before, sys.stdin = sys.stdin, stream
    try:
        yield
    finally:
        sys.stdin = before
