"""One module for each command of ``grade``. They import what they need when they run, so that help comes at once."""
