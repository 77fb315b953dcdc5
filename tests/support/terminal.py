"""A terminal that keeps what stands on it: enough of one to see what is written over."""

import re

_TOKEN = re.compile(r"\x1b\[([?\d;]*)([A-Za-z])|(\r)|(\n)|([^\x1b\r\n])")


def on_screen(output: str, width: int) -> list[str]:
    """Return the lines that stand on a terminal after some output, without white space behind them.

    Known are line breaks, carriage returns, and the sequences that move the cursor up or erase a line; others (colours,
    the cursor's visibility) change no text.
    """
    rows: list[list[str]] = [[]]
    row = column = 0
    for parameter, command, carriage, newline, sign in _TOKEN.findall(output):
        if command == "A":
            row = max(0, row - int(parameter or 1))
        elif command == "K":
            rows[row] = [] if parameter == "2" else rows[row][:column]
        elif carriage:
            column = 0
        elif newline:
            row, column = row + 1, 0
        elif sign:
            if column == width:
                row, column = row + 1, 0
            while len(rows) <= row:
                rows.append([])
            rows[row] += [" "] * (column + 1 - len(rows[row]))
            rows[row][column] = sign
            column += 1
        while len(rows) <= row:
            rows.append([])
    lines = ["".join(line).rstrip() for line in rows]
    while lines and not lines[-1]:
        lines.pop()
    return lines
