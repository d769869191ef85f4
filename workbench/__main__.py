"""`python -m workbench`."""

import sys

try:
    from workbench.cli import main
except KeyboardInterrupt:
    sys.exit(4)

if __name__ == "__main__":
    main()
