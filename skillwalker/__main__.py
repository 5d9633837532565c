"""`python -m skillwalker` is the same as the console script."""

import sys

from skillwalker.cli import main

sys.exit(main())
