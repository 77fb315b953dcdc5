"""The group ``articulado ingest``, whose first word is the name of a command or else a path."""

from copy import copy
from typing import Any

from cli.spanish import Commands

PATHS = "rutas"
"""The hidden command that paths go to."""


class IngestCommands(Commands):
    """A group that hands over what names none of its commands to the hidden one, and shows the options of that one."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the name of the hidden command before paths; ask for the help of the group where they ask for any."""
        if not args or args[0] not in self._visible():
            args = ["--help"] if set(args) & set(ctx.help_option_names) else [PATHS, *args]
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command; the hidden one is nameless, so that no message speaks of it."""
        name, command, rest = super().resolve_command(ctx, args)
        return None if command.hidden else name, command, rest

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """Write a usage line for each form."""
        forms = [(ctx.command_path, self.commands[PATHS].collect_usage_pieces(ctx))]
        forms += [
            (f"{ctx.command_path} {name}", self.commands[name].collect_usage_pieces(ctx)) for name in self._visible()
        ]
        for number, (path, pieces) in enumerate(forms):
            formatter.write_usage(path, " ".join(pieces), prefix="     " if number else "Uso: ")

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the page, with the arguments and options of the hidden command as its own."""
        shown = copy(self)
        shown.params = self.commands[PATHS].params
        super(IngestCommands, shown).format_help(ctx, formatter)

    def _visible(self) -> list[str]:
        return [name for name, command in self.commands.items() if not command.hidden]
