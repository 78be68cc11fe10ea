"""The suite: loads scenarios, plays them against a driver, judges, reports."""
