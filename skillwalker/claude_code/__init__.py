"""Running the Claude CLI: the command line, the process and everything it starts."""
