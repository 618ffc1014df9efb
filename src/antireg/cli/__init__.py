"""The command line."""

from antireg.cli.main import main

__all__ = ["main"]
