"""What all tests share: an own environment, the demo index, the real laws, and an account of what was skipped."""

import gc
import os
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from support.laboral import write_laboral
from support.paths import SHARED
from support.small_corpus import bringing

from articulado.store.records.schema import Corpus

# No time limit in either, which a busy machine would break. ``make check`` runs the same examples each time;
# ``make check-all`` draws more, and new ones in each run: --hypothesis-profile=long.
settings.register_profile(
    "repeatable", derandomize=True, deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "long",
    deadline=None,
    max_examples=400,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that runs the tests marked ``slow``."""
    parser.addoption("--slow", action="store_true", help="also run the tests that are marked slow")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Return a scheduler for ``--dist loadgroup`` that keeps the tests of a module, too, on one worker.

    So every module fixture is built once a run. Modules are started in the order in which they were collected.
    """
    if config.getoption("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadGroupScheduling

    class ModulesAndGroups(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            group = super()._split_scope(nodeid)
            return group.split("::", 1)[0] if group == nodeid else group

    config.option.loadscopereorder = False
    return ModulesAndGroups(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip slow tests unless they are asked for; in a worker of xdist, put the modules that take longest first."""
    if not config.getoption("slow"):
        for item in items:
            if mark := item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.skip(reason=f"slow, runs in `make check-all`: {mark.kwargs['reason']}"))
    if hasattr(config, "workerinput"):
        modules: dict[Path, list[pytest.Item]] = {}
        for item in items:
            modules.setdefault(item.path, []).append(item)
        items[:] = [item for module in sorted(modules.values(), key=_weight, reverse=True) for item in module]


def _weight(module: list[pytest.Item]) -> tuple[bool, bool, int]:
    """Return what orders modules by their cost: servers and processes, then fixtures of a module, then many tests."""
    return (
        any(item.get_closest_marker("integration") for item in module),
        any(definitions[-1].scope == "module" for item in module for definitions in _fixtures(item)),
        len(module),
    )


def _fixtures(item: pytest.Item) -> Iterable[Sequence[pytest.FixtureDef[object]]]:
    """Return the definitions of each fixture of a test; a doctest has none."""
    info = getattr(item, "_fixtureinfo", None)
    return info.name2fixturedefs.values() if info else ()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Leave what lives as long as the run, tests and modules, out of every later look for garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory, worker_id) -> Path:
    """A folder of this run that its worker processes share."""
    own = tmp_path_factory.getbasetemp()
    return own if worker_id == "master" else own.parent


@pytest.fixture(autouse=True, scope="session")
def own_environment(tmp_path_factory, run_folder):
    """Keep tests away from the settings and the index of whoever runs them.

    Every worker has a home of its own. Its indexes are the same for all: who needs one first builds it, as on a fresh
    machine, and the others wait for that build. The unpacked weights of the sentence encoder are one for all, too.
    """
    for name in [name for name in os.environ if name.startswith(("ARTICULADO_", "LANGSMITH_", "LANGCHAIN_", "OTEL_"))]:
        del os.environ[name]
    home = tmp_path_factory.mktemp("home")
    folders = {"index": "demo", "index-plan_401k": "plan_401k", "encoders": "encoders"}
    for name, shared in ((name, run_folder / shared) for name, shared in folders.items()):
        shared.mkdir(exist_ok=True)
        (home / name).symlink_to(shared, target_is_directory=True)
    # Also for tests with a home of their own: unpacking takes a second and 82 MB.
    os.environ["ARTICULADO_ENCODERS"] = str(run_folder / "encoders")
    os.environ["ARTICULADO_HOME"] = str(home)
    # Nothing is asked over TLS: without an authority to trust, no client reads a hundred and forty of them.
    os.environ.pop("SSL_CERT_FILE", None)
    os.environ["SSL_CERT_DIR"] = str(tmp_path_factory.mktemp("authorities"))


@pytest.fixture(autouse=True, scope="session")
def patient_requests() -> None:
    """Let requests of tests wait for an answer on the slowest machine; httpx gives up after five seconds."""
    import httpx
    from support.waiting import PATIENCE

    httpx._config.DEFAULT_TIMEOUT_CONFIG.read = PATIENCE


@pytest.fixture(scope="session")
def demo_index(own_environment) -> Path:
    """Folder of the demo index, to be read or copied."""
    # Imported here: the process that hands the tests out to its workers does without.
    from articulado.config.settings import Settings
    from graph.compose import open_services
    from nodes.stage import wait_for

    demo = Settings.read(env_file=None)
    wait_for(open_services(demo))
    return demo.index_folder


@pytest.fixture
def nothing_comes_along(tmp_path_factory, monkeypatch):
    """Make a profile of the law the default that indexes what a test names, and nothing else."""
    monkeypatch.setenv("ARTICULADO_PROFILE", write_laboral(tmp_path_factory.mktemp("profile")))


@pytest.fixture
def bring_along(tmp_path_factory, monkeypatch) -> Iterator[Callable[[Corpus], None]]:
    """Return what makes a corpus the packaged one, under a profile of the law that brings nothing else along."""
    monkeypatch.setenv("ARTICULADO_PROFILE", write_laboral(tmp_path_factory.mktemp("profile"), records=True))
    with ExitStack() as stack:
        yield lambda corpus: stack.enter_context(bringing(corpus))


@pytest.fixture(scope="session")
def real_laws() -> Path:
    """Folder of the 66 real laws; the test is skipped where they are not beside the checkout."""
    folder = SHARED / "corpus" / "laws"
    if not folder.is_dir():
        pytest.skip("the real laws are not beside this checkout (../shared/corpus/laws)")
    return folder


def pytest_terminal_summary(terminalreporter) -> None:
    """Say how many tests were skipped, and for which reasons."""
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in terminalreporter.getreports("skipped"))
    if reasons:
        terminalreporter.section(f"{reasons.total()} skipped")
        for reason, tests in reasons.most_common():
            terminalreporter.line(f"{tests:>6} {reason}")
