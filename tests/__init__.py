"""Proof that the reference and the suite are right."""
