"""The commands of ``grade`` for authors and instructors, which a student's edition does not have."""

from grader.authors.commands import bundle, edition, prove, stubs

COMMANDS = (prove.command, stubs.command, edition.command, bundle.command)
