"""The command ``bareme``, the same as the program of that name."""

from __future__ import annotations

import signal
import sys

from bareme import _bareme


def main() -> int:
    """Runs the command line of this process; its exit code."""
    # Python would only take note of Ctrl-C, and wait for the command to end.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _bareme.command(sys.argv)
