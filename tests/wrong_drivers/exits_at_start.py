"""Says why on stderr and exits."""

import sys

print("the licence has expired", file=sys.stderr)
sys.exit(3)
