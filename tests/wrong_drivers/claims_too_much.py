"""Claims capabilities and has none of them."""

from _driver import CLAIMS, Driver

CLAIMS["capabilities"] = ["children", "live-views", "threads", "updates"]
Driver().serve()
