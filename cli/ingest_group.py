"""The group ``articulado ingest``, whose first word that is no option names a command or else is a path."""

from copy import copy
from typing import Any

from cli.spanish import Commands

PATHS = "rutas"
"""The hidden command that paths go to."""


class IngestCommands(Commands):
    """A group that hands over what names none of its commands to the hidden one, and shows the options of that one."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the name of the command first, before paths the hidden one; help asked for without one is the group's."""
        place = self._first_word(args)
        if place is not None and args[place] in self._visible():
            args = [args[place], *args[:place], *args[place + 1 :]]
        else:
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

    def _first_word(self, args: list[str]) -> int | None:
        """Return the place of the first argument that is neither an option nor the value of one."""
        params = [param for command in self.commands.values() for param in command.params]
        valued = {name for param in params if not getattr(param, "is_flag", False) for name in param.opts}
        is_value = False
        for place, argument in enumerate(args):
            if argument == "--":
                return None
            if not is_value and not argument.startswith("-"):
                return place
            is_value = not is_value and argument in valued
        return None

    def _visible(self) -> list[str]:
        return [name for name, command in self.commands.items() if not command.hidden]
