"""Prints a banner on stdout before it does anything else."""

from _driver import Driver

print("Welcome to wrong 1.0!", flush=True)
Driver().serve()
