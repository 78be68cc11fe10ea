"""The commands of `outlast`, one module each."""
