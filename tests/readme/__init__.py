"""The README as a reader follows it: its files are written, its commands are run, in their order."""
