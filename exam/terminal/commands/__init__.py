"""One module for each subcommand; loaded when it is called."""
