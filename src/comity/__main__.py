"""Python -m comity: the command line without its installed script.

Here: the call.
Not here: everything else (cli/main.py).
Sources: PEP 338.
"""

import sys

from comity.cli.main import main

sys.exit(main())
