"""Speaks a version of the protocol that nobody has asked for."""

from _driver import CLAIMS, Driver

CLAIMS["protocol_version"] = 7
Driver().serve()
