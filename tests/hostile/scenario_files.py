"""Files of up to 1 MiB that are made to be hard to read: YAML of every kind, and what is nearly scenarios."""

from __future__ import annotations

from collections.abc import Iterator

MIB = 1 << 20
HEAD = "format: 1\ntitle: A title\ncovers: [agent.inbox.read-at-final]\n"
MODEL = "agents:\n  main:\n    model:\n      - text: Done.\n"
STEPS = "steps:\n  - prompt: Go\n"
WORD = "abcdefghij" * 7
"""Of all words of its length, one of the hardest to compare with another."""


def filled(piece: str | bytes, head: str = "", tail: str = "") -> bytes:
    """A file full of `piece`."""
    unit = piece.encode() if isinstance(piece, str) else piece
    count = (MIB - len(head.encode()) - len(tail.encode())) // len(unit)
    return head.encode() + unit * count + tail.encode()


def numbered(piece: str, count: int, head: str = "", tail: str = "") -> bytes:
    """A file with `piece` in it as often as that, each with a number of its own for its `@`."""
    return (head + "".join(piece.replace("@", str(index)) for index in range(count)) + tail).encode()[:MIB]


def yaml_files() -> Iterator[tuple[str, bytes]]:
    """YAML as such."""
    yield "brackets", filled("[")
    yield "brackets that are closed", b"[" * (MIB // 2) + b"]" * (MIB // 2)
    yield "braces", filled("{a: ")
    yield "dashes", filled("- ")
    yield "question marks", filled("? ")
    yield "deep indentation", "".join(" " * depth + "a:\n" for depth in range(1400)).encode()
    yield "empty lists", filled("[],", "[", "]")
    yield "one line of elements", filled("a,", "[", "]")
    yield "one line of keys", filled("a,", "{", "}")
    yield "one line of colons", filled(":")
    yield "a list of nothing", filled("-\n")
    yield "keys without values", filled("?\n")
    yield "keys", numbered("@: a\n", 100_000)
    yield "duplicate keys", filled("a: 1\n")
    yield "duplicate keys, but fewer than there may be values", numbered("a: @\n", 9_500)
    yield "duplicate keys in one line", filled("a: 1,", "{", "}")
    yield "numbers of JSON", numbered('{"b": @}, ', 80_000, "[", "{}]")
    yield "anchors", numbered("- &a@ x\n", 80_000)
    yield "aliases", filled("- *a\n", "- &a x\n")
    yield "aliases of aliases", numbered_bomb(9_000)
    yield "an anchor that stays open", filled("a", "- &")
    yield "tags", filled("- !a x\n")
    yield "tags that say nothing", filled("- ! x\n")
    yield "a plain scalar", filled("x ", "a: ")
    yield "a quoted scalar", filled("\\n", 'a: "', '"')
    yield "a scalar over lines", filled("  x\n", "a: x\n")
    yield "blocks", filled("- |\n")
    yield "a block", filled("  x\n", "a: |\n")
    yield "an integer", filled("1", "a: ")
    yield "an exponent", filled("9", "a: 1e")
    yield "integers", numbered("- " + "9" * 90 + "\n", 10_000)
    yield "infinities", filled("- .inf\n")
    yield "NUL bytes", filled("\0")
    yield "a NUL at the end", b"a" * (MIB - 1) + b"\0"
    yield "tabs", filled("\t")
    yield "byte order marks", filled(b"\xef\xbb\xbf")
    yield "UTF-16", ("title: Über\n" * 40_000).encode("utf-16")[:MIB]
    yield "UTF-16 without a mark", ("title: x\n" * 50_000).encode("utf-16-le")[:MIB]
    yield "UTF-32", ("title: x\n" * 25_000).encode("utf-32")[:MIB]
    yield "what is not UTF-8 at the end", b"a\n" * (MIB // 2 - 1) + b"\xff"
    yield "mixed ends of lines", filled(b"a: 1\r\n# x\r# y\n")
    yield "ends of lines of the old kind", filled(b"- a\r")
    yield "next lines", filled("\x85")
    yield "characters beyond the first plane", filled("\U0001f600")
    yield "newlines", filled("\n")
    yield "comments", filled("#\n")
    yield "directives", filled("%YAML 1.2\n")
    yield "documents", filled("---\n")
    yield "quotes", filled("'")
    yield "quotes that are never closed", filled("a\n", '"')
    yield "characters that begin nothing", filled("@\n")
    yield "a key as long as a file", filled("x", "[", ": 1]")
    yield "more than may be read", b"a" * (MIB + 1)


def numbered_bomb(count: int) -> bytes:
    """Lists of aliases of the list before."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]\n"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, count)]
    return "".join(lines).encode()[:MIB].rsplit(b"\n", 1)[0]


def step(text: str) -> tuple[str, str]:
    """What stands before and behind what fills a step."""
    before, after = text.split("@@")
    return f"{HEAD}{MODEL}steps:\n  - {before}", f"{after}\n"


def scenario_files() -> Iterator[tuple[str, bytes]]:
    """What is a scenario but for what it has too much of."""
    begun = f"{HEAD}{MODEL}steps:\n"
    result = step("{prompt: Go, result: @@}")
    pending = step("check: {pending_calls: [@@]}")
    emits = step("{prompt: Go, emits: [@@...]}")
    others = f"{HEAD}agents:\n  main: {{}}\n"
    yield "right steps", numbered("  - push: Also @\n", 4_900, begun)
    yield "steps that are numbers", numbered("  - @\n", 9_900, begun)
    yield "steps that are texts", numbered(f"  - {WORD}{WORD}@\n", 5_000, begun)
    yield "steps with two words", numbered("  - {prompt: Go, push: x@}\n", 3_300, begun)
    yield "a step that is a text as long as a file", filled("x", f"{begun}  - ")
    yield "unknown keys", numbered("    k@: 1\n", 9_500, f"{begun}  - prompt: Go\n")
    yield "unknown keys that are near", numbered(f"  - {{prompt{WORD}@: 1}}\n", 2_400, begun)
    yield (
        "a pattern beside a mistake",
        numbered("a@: 1, ", 9_500, f"{begun}  - prompt: Go\n    colour: 1\n    result: {{", "}"),
    )
    yield (
        "a deep pattern beside a mistake",
        numbered(
            "a@: 1, ",
            9_500,
            f"{begun}  - prompt: Go\n    colour: 1\n    result: " + "{a: [" * 25 + "{",
            "}" + "]}" * 25,
        ),
    )
    yield (
        "events beside a mistake",
        numbered(
            "{AgentEnd: {a: @}}, ", 2_400, f"{begun}  - prompt: Go\n    colour: 1\n    emits: [", "...]"
        ),
    )
    yield "events that are near", numbered("AgentEd@, ", 9_500, *emits)
    yield "an event as long as a file", filled("AgentEnd", *emits).replace(b"...", b", ...")
    yield "operators that are none", numbered("{$contain@: 1}, ", 4_900, result[0] + "[", "]" + result[1])
    yield (
        "operators that are long",
        numbered(f"{{$contains{WORD}@: 1}}, ", 2_400, result[0] + "[", "]" + result[1]),
    )
    yield (
        "texts that are no references",
        numbered("$x@, ", 9_500, result[0] + "{$exact: [", "]}" + result[1]),
    )
    yield "dots", numbered("..., ", 9_500, result[0] + "{$unordered: [", "]}" + result[1])
    yield "references to nothing", numbered("{id: $a@#1}, ", 4_500, *pending)
    yield (
        "references that are near",
        numbered(
            f"{{id: $x{WORD}@#1}}, ",
            2_000,
            f"{HEAD}agents:\n  main:\n    model:\n      - calls: ["
            + "".join(f"{{{WORD}{index}: {{}}}}, " for index in range(500))
            + "]\nsteps:\n  - check: {pending_calls: [",
            "]}\n",
        ),
    )
    yield (
        "agents that are near",
        numbered(
            f"  - {{push: x, agent: x{WORD}@}}\n",
            2_000,
            others + "".join(f"  {WORD}{index}: {{}}\n" for index in range(500)) + "steps:\n",
        ),
    )
    yield (
        "tools that are near",
        numbered(
            f"  x{WORD}@: []\n",
            500,
            f"{HEAD}agents:\n  main:\n    tools: ["
            + ", ".join(f"{WORD}{n}" for n in range(500))
            + "]\ntools:\n",
            STEPS,
        ),
    )
    yield (
        "requirements that are near",
        numbered(
            "agent.inbox.read-at-finals@, ",
            9_000,
            "format: 1\ntitle: A title\ncovers: [",
            f"]\n{MODEL}{STEPS}",
        ),
    )
    yield (
        "requirements that are the same",
        numbered(
            "agent.inbox.read-at-final, ",
            9_500,
            "format: 1\ntitle: A title\ncovers: [",
            f"]\n{MODEL}{STEPS}",
        ),
    )
    yield (
        "runs that are never finished",
        numbered(
            "  - {start: resume, agent: a@}\n",
            1_900,
            others + "".join(f"  a{n}: {{}}\n" for n in range(1_900)) + "steps:\n",
        ),
    )
    yield from expressions(*result)
    yield from value_files()


def expressions(before: str, after: str) -> Iterator[tuple[str, bytes]]:
    """Regular expressions."""
    for name, expression in {
        "an expression as long as a file": "a" * 1_000_000,
        "an expression of brackets": "(" * 500_000,
        "an expression of brackets that are closed": "(" * 400 + ")" * 400,
        "an expression of alternatives": "|".join(f"a{n}" for n in range(100_000)),
        "an expression that repeats too often": "a{99999999999999999999}",
        "an expression that repeats repeats": "(a{1000}){1000}",
        "an expression of large classes": "[^\\s]" * 160,
    }.items():
        yield name, f"{before}{{$regex: '{expression}'}}{after}".encode()
    yield "expressions", numbered("{$regex: '\\p{L}{9}@'}, ", 4_500, before + "[", "]" + after)
    yield (
        "as many expressions as there may be",
        numbered("{$regex: '\\p{L}{9}@'}, ", 100, before + "[", "]" + after),
    )


def value_files() -> Iterator[tuple[str, bytes]]:
    """Values in patterns that never come."""
    head = HEAD.replace("agent.inbox.read-at-final", "runtime.handle.done")
    waits = f"{head}agents:\n  main:\n    model: []\nsteps:\n  - spawn: main\n  - wait:\n    result: "
    statuses = f"{waits}{{status: {{$one_of: [", "]}}"
    emits = step("{prompt: Go, emits: [@@...]}")
    yield "statuses that are none", numbered("pendng@, ", 9_500, *statuses)
    yield "statuses that are near", filled("pendng, ", *statuses)[: 9_000 * len("pendng, ")] + b"x]}}"
    yield "statuses that are long", numbered(f"{WORD}@, ", 9_000, *statuses)
    yield "a status as long as a file", filled("pending", *statuses)
    yield (
        "statuses inside alternatives",
        numbered("doen, ", 9_000, f"{waits}{{status: " + "{$one_of: [" * 25, "]}" * 25 + "}"),
    )
    yield "turns that are texts", numbered("{turns: x@}, ", 4_500, f"{waits}{{$one_of: [", "]}")
    yield "roles that are none", numbered("{MessageEnd: {message: {role: asistant@}}}, ", 1_200, *emits)
    yield "types that are none", numbered("{Nested: {event: {type: TurnEndd@}}}, ", 1_600, *emits)
    yield (
        "nested events",
        numbered("{Nested: {event: {type: TurnEnd, message: {role: asistant}}}}, ", 1_000, *emits),
    )
    yield (
        "events in events",
        (
            emits[0] + "{Nested: {event: {type: Nested, event: " * 14 + "{}" + "}}}" * 14 + ", " + emits[1]
        ).encode(),
    )
    yield (
        "expressions for what has few words",
        numbered(
            "{messages: [{role: {$regex: '(a{90}){9}@'}}]}, ",
            1_300,
            waits.replace("runtime.handle.done", "client.halt.pending").replace(
                "  - spawn: main\n  - wait:\n", "  - run: Go\n"
            )
            + "{$one_of: [",
            "]}",
        ),
    )
