"""`python -m workbench` and `workbench`: what is ended before there is a command ends as a command
does.
"""

import signal
import sys


def main() -> None:
    """Run the command line; Ctrl-C and SIGTERM while it is read end in exit code 4."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        from workbench.cli import main as command_line

        command_line()
    except KeyboardInterrupt:
        sys.exit(4)


if __name__ == "__main__":
    main()
