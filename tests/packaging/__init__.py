"""Outlast as a stranger gets it: built, installed from the wheel, and used far from the checkout."""
