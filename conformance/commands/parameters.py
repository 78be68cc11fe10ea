"""Values of options that are more than a word or a number: callbacks that read them."""

from __future__ import annotations

import re

import click


def jobs(ctx: click.Context, param: click.Parameter, value: str) -> int:
    """A number of processes, or `auto` for as many as there are processors."""
    if value == "auto":
        from conformance.workers import processors

        return processors()
    if not re.fullmatch(r"[1-9][0-9]{0,2}", value):
        raise click.BadParameter(
            f"expected a number of processes from 1 to 999, or auto; found {value!r}", ctx, param
        )
    return int(value)


def shard(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, int] | None:
    """A part of a whole, as in 2/5."""
    if value is None:
        return None
    found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", value)
    number, count = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= number <= count:
        raise click.BadParameter(f"expected a part of a whole, as in 2/5; found {value!r}", ctx, param)
    return number, count
