"""`python -m antireg.cli` is the `antireg` command."""

import sys

from antireg.cli import main

if __name__ == "__main__":
    sys.exit(main())
