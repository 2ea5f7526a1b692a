"""From the YAML of the bank to variants: needs the instructor's packages."""
