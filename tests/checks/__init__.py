"""Plays that keep and plays that break what the always-on checks judge."""
