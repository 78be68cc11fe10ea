"""Files of up to 1 MiB, and lines, that are made to be hard to read: lists, configurations, reports, JSON."""

from __future__ import annotations

from collections.abc import Iterator

from tests.hostile.scenario_files import MIB, WORD, filled, numbered

TOML_SIZE = 1 << 18
"""Longer configurations are not read at all."""


def known_failures() -> Iterator[tuple[str, bytes]]:
    """Lists of known failures."""
    entry = "outcome: failed, reason: r}\n"
    yield "entries about one scenario", numbered("- {id: agent/x, " + entry, 2_400)
    yield "entries about the checks of one scenario", numbered("- {id: agent/x:c@, " + entry, 2_400)
    yield "entries about scenarios that are near", numbered(f"- {{id: agent/{WORD}@, " + entry, 2_400)
    yield (
        "days that there are not",
        numbered("- {id: agent/x@, expires: 2026-02-30, outcome: failed, reason: r}\n", 1_900),
    )
    yield "an id as long as a file", filled("x", "- {id: agent/", ", " + entry)
    yield "a list without keys", numbered("- {a@: 1}\n", 4_900)


def requirements() -> Iterator[tuple[str, bytes]]:
    """Registers."""
    head, rest = "format: 1\nrequirements:\n", "level: must, origin: derived, text: t, source: s}\n"
    yield "requirements with one id", numbered("  - {id: agent.a.b, " + rest, 1_600, head)
    yield "requirements of no profile", numbered("  - {id: nobody.a.b@, " + rest, 1_600, head)
    yield "requirements without ids", numbered("  - {ids: agent.a.b@, " + rest, 1_600, head)
    yield "many requirements", numbered("  - {id: agent.a.b@, " + rest, 1_600, head)


def configurations() -> Iterator[tuple[str, bytes]]:
    """TOML."""
    small = (
        ("arrays", filled("[", "driver = ")),
        ("arrays that are closed", b"driver = " + b"[" * 900 + b"]" * 900),
        ("tables in one line", filled("{a = ", "driver = ")),
        ("a key of many parts", filled("a.", "", "a = 1")),
        ("a key of quoted parts", filled('"a" . ', "", "a = 1")),
        ("keys of some parts", numbered("a." * 50 + "b@ = 1\n", 9_000)),
        ("headers", numbered("[a@]\n", 90_000)),
        ("headers of some parts", numbered("[" + "a." * 40 + "b@]\n", 9_000)),
        ("arrays of tables", filled("[[a]]\n[[a.b]]\n")),
        ("an integer", filled("1", "driver = ")),
        ("an integer with underscores", filled("1_", "driver = ", "1")),
        ("a float", filled("9", "driver = 1e")),
        ("a text", filled("x", 'driver = "', '"')),
        ("a text that is never closed", filled("x", 'driver = "')),
        ("a text over lines", filled('""x', 'driver = """', '"""')),
        ("dates", numbered("a@ = 1979-05-27T07:32:00Z\n", 30_000)),
        ("what is nearly a date", filled("1979-05-27 ", "driver = ")),
        ("unknown keys", numbered("k@ = 1\n", 90_000)),
        ("unknown keys that are near", numbered(f"driver{WORD}@ = 1\n", 9_000)),
        ("paths that are none", filled("1,", "paths = [", "]")),
        ("names that no file can have", b'driver = "x"\nknown_failures = "\\u0000"\npaths = ["\\u0000"]\n'),
        ("newlines", filled("\n")),
        ("ends of lines of the old kind", filled(b"\r")),
        ("a key as long as a file", filled("a", "", " = 1")),
        ("UTF-16", 'driver = "x"\n'.encode("utf-16")),
    )
    for name, data in small:
        yield name, data[:TOML_SIZE]
    yield "more than may be read", filled("# x\n")


def reports() -> Iterator[tuple[str, bytes]]:
    """What is to be a report, and is JSON or not."""
    head = '{"format": 1, "complete": true, "implementation": {}, "requirements": ['
    yield "scenarios that are none", filled("{},", head + '], "scenarios": [', "{}]}")
    yield "requirements that are none", filled("1,", head, '1], "scenarios": []}')
    yield "a value that is too deep", f'{head}], "scenarios": [{"[" * 900 + "]" * 900}]}}'.encode()
    yield from json_texts()


def json_texts() -> Iterator[tuple[str, bytes]]:
    """JSON, and what is nearly JSON."""
    yield "an integer", filled("1")
    yield "an integer inside", b'{"format": ' + b"1" * 5_000 + b"}"
    yield "a float", filled("9", "1e")
    yield "no number", b'{"format": NaN}'
    yield "brackets", filled("[")
    yield "brackets that are closed", b"[" * (MIB // 2) + b"]" * (MIB // 2)
    yield "braces", filled('{"a":')
    yield "empty lists", filled("[],", "[", "[]]")
    yield "empty objects", filled("{},", "[", "{}]")
    yield "lists to the greatest depth", filled(b"[" * 99 + b"]" * 99 + b",", "[", "1]")
    yield "brackets of two kinds", filled(b"{" * 50 + b"]" * 50, "[")
    yield "brackets in one text", filled("[", '["', '"]')
    yield "brackets in texts", filled('[","', '["', '"]')
    yield "a text that is never closed", filled('\\"', '{"a":"')
    yield "a text that is never closed, behind brackets", filled('\\"', "[" * 120 + '"')
    yield "a text that is never closed, behind brackets in texts", filled('\\"', "[" + '"[",' * 120 + '"')
    yield "halves of surrogate pairs", filled("\\ud800", '["', '"]')
    yield "surrogate pairs", filled("\\ud83d\\ude00", '["', '"]')
    yield "what is not UTF-8", filled(b"\xff", '"')
    yield "duplicate keys", filled('"a":1,', "{", '"a":1}')
    yield "NUL bytes", filled("\0")
    yield "spaces", filled(" ")
    yield "a byte order mark", b"\xef\xbb\xbf{}"
    yield "UTF-16", '{"a": 1}'.encode("utf-16")
