"""The suite measured by faults that nobody chose: how many of them do the scenarios see?

mutmut makes the faults, one at a time, everywhere in the reference. The judge is nothing but the scenarios,
with the checks that are always on. `python -m tests.mutation` counts; `survivors.yaml` explains each fault
that none of them sees. It takes long, is no part of what pytest runs, and needs the extra `mutation`.
"""
