"""The command line: one file a command, over the same graph as every other front."""
