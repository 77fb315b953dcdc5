"""The plain-language records and the official text that they were written from."""
