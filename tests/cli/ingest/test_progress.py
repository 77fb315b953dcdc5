import io

from rich.console import Console
from rich.progress import Progress, TextColumn

from cli.ingest.command import progress_on


def shown(bar: Progress) -> list[str]:
    console = Console(file=io.StringIO(), width=80)
    console.print(bar.get_renderable())
    return [line.strip() for line in console.file.getvalue().splitlines()]


def test_a_step_without_a_count_shows_none_and_ends_with_the_next():
    bar = Progress(TextColumn("{task.description}"), TextColumn("{task.fields[count]}"), TextColumn("{task.finished}"))
    progress = progress_on(bar)
    progress("Leyendo", 1, 2)
    progress("Leyendo", 2, 2)
    progress("Analizando", 0, 0)
    assert shown(bar) == ["Leyendo    2/2 True", "Analizando     False"]
    progress("Indexando", 1, 3)
    assert shown(bar) == ["Leyendo    2/2 True", "Analizando     True", "Indexando  1/3 False"]
