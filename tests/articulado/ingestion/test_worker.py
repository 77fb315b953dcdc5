import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support import bounded_work as work
from support.paths import REPOSITORY
from support.waiting import PATIENCE

from articulado.config.files import MIB, Limits
from articulado.ingestion.worker import Workers
from articulado.language.translation import use_locale
from articulado.values.errors import InvalidInput, StoreUnavailable


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    shared = Workers(Limits(seconds=PATIENCE, memory=512 * MIB))
    yield shared
    shared.close()


async def test_a_function_works_in_a_process_of_its_own_which_is_used_again(workers: Workers) -> None:
    assert await workers.call(work.total, [1, 2, 3]) == 6
    first, second = await workers.call(work.process_id), await workers.call(work.process_id)
    assert first == second != os.getpid()


async def test_calls_at_a_time_have_a_process_each(workers: Workers) -> None:
    processes = await asyncio.gather(workers.call(work.process_id), workers.call(work.process_id))
    assert len(set(processes)) == 2


async def test_the_process_speaks_the_language_of_the_caller(workers: Workers) -> None:
    with use_locale("en"):
        assert await workers.call(work.spoken) == "en"
    assert await workers.call(work.spoken) == "es"


async def test_printed_output_is_no_answer(workers: Workers) -> None:
    assert await workers.call(work.printed) == "respuesta"


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (work.failed, (), r"fallar a su lector \(LookupError: la página 3 no existe\)"),
        (work.panicked, (), r"fallar a su lector \(BaseException: index out of bounds\)"),
        (work.nested, (), "demasiados elementos unos dentro de otros"),
        (work.out_of_memory, (), "más de 512 MiB de memoria.*ARTICULADO_READ_MEMORY"),
        (work.parsed_out_of_memory, (), "más de 512 MiB de memoria"),
        (work.crashed, ("SIGSEGV",), r"hecho caer el proceso que lo leía \(SIGSEGV\)"),
        (work.crashed, ("SIGKILL",), r"hecho caer el proceso que lo leía \(SIGKILL\)"),
    ],
)
async def test_failure_or_crash_affects_only_that_call(workers, function, arguments, message) -> None:
    with pytest.raises(InvalidInput, match=message):
        await workers.call(function, *arguments)
    assert await workers.call(work.total, [2, 3]) == 5


async def test_own_errors_are_raised_unchanged(workers: Workers) -> None:
    with pytest.raises(StoreUnavailable, match=r"El disco está lleno\."):
        await workers.call(work.refused)


async def test_an_error_that_says_what_nests_too_deep_is_kept(workers: Workers) -> None:
    with pytest.raises(InvalidInput, match=r"^La cabecera no es YAML\.$"):
        await workers.call(work.nested_yaml)


async def test_a_call_that_takes_too_long_is_ended() -> None:
    workers = Workers(Limits(seconds=0.2))
    with pytest.raises(InvalidInput, match=r"en 0,2 s de procesador.*ARTICULADO_READ_TIMEOUT"):
        await workers.call(work.endless)
    workers.close()


async def test_a_process_that_has_died_meanwhile_is_replaced(workers: Workers) -> None:
    os.kill(await workers.call(work.process_id), signal.SIGKILL)
    assert await workers.call(work.total, [4]) == 4


async def test_a_call_that_is_cancelled_ends_with_its_process(workers: Workers, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    call = asyncio.create_task(workers.call(work.endless, str(note)))
    await asyncio.to_thread(_wait_for, note.exists)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    process = int(note.read_text(encoding="utf-8"))
    await asyncio.to_thread(_wait_for, lambda: not _is_alive(process))


@pytest.mark.integration
def test_the_process_ends_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    """Even in the middle of a call that nothing in the process interrupts: the system ends it at the limit."""
    note = tmp_path / "pid"
    program = (
        "import asyncio; from support import bounded_work; from articulado.config.files import Limits; "
        "from articulado.ingestion.worker import Workers; "
        f"asyncio.run(Workers(Limits(seconds=0.5)).call(bounded_work.endless, {str(note)!r}))"
    )
    paths = os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "tests")])
    # The child has the same standard error: it ends with the last of the two.
    parent = subprocess.Popen(
        [sys.executable, "-c", program], env=os.environ | {"PYTHONPATH": paths}, stderr=subprocess.PIPE
    )
    with parent:
        _wait_for(lambda: note.exists() or parent.poll() is not None)
        parent.kill()
        parent.communicate(timeout=PATIENCE)


def _wait_for(event: Callable[[], bool]) -> None:
    while not event():
        time.sleep(0.01)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
