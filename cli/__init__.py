"""The command line: one folder a command, over the same graph as every other front."""
