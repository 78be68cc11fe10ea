"""Making faults: what mutmut does to a module of the reference, one change after the other.

mutmut's own runner is not used. It knows pytest only, and leaves out what stands outside functions; here each
of its changes is made in the text of the module.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Set

from libcst import Module
from mutmut.mutation.file_mutation import create_mutations, deep_replace

from tests.mutation.faults import Fault, path_of


def faults(module: str) -> Iterator[Fault]:
    """Each fault in `module`. Changes that come to the same are one, and none if that is what is there.

    mutmut leaves annotations alone; what is there to be used in annotations is left alone here.
    """
    source = path_of(module).read_text(encoding="utf-8")
    tree, mutations, _, _ = create_mutations(str(path_of(module)), source)
    names = _for_annotations(source)
    seen = {_meaning(source, names)}
    for mutation in mutations:
        changed = deep_replace(tree, mutation.original_node, mutation.mutated_node)
        if not isinstance(changed, Module):
            raise TypeError(f"mutmut made a {type(changed).__name__} of {module}, which is no module")
        meaning = _meaning(changed.code, names)
        if meaning not in seen:
            seen.add(meaning)
            yield _fault(module, source, changed.code)


def _meaning(source: str, left_out: Set[str]) -> str:
    """What the module says, without the statements that give these names their values."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return source
    tree.body = [statement for statement in tree.body if _given(statement) not in left_out]
    return ast.dump(tree)


def _for_annotations(source: str) -> Set[str]:
    """The names in `X: TypeAlias = ...` and `X = TypeVar(...)`."""
    return {_given(statement) for statement in ast.parse(source).body if _is_for_annotations(statement)}


def _is_for_annotations(statement: ast.stmt) -> bool:
    match statement:
        case ast.AnnAssign(annotation=ast.Name("TypeAlias")):
            return True
        case ast.Assign(value=ast.Call(func=ast.Name("TypeVar"))):
            return True
    return False


def _given(statement: ast.stmt) -> str:
    """The name that the statement gives a value; empty if it gives none, or several."""
    match statement:
        case ast.AnnAssign(target=ast.Name(name)) | ast.Assign(targets=[ast.Name(name)]):
            return name
    return ""


def _fault(module: str, source: str, changed: str) -> Fault:
    before, after = source.splitlines(), changed.splitlines()
    most = min(len(before), len(after))
    same = next((n for n in range(most) if before[n] != after[n]), most)
    most -= same
    rest = next((n for n in range(most) if before[-1 - n] != after[-1 - n]), most)
    original, text = _text(before[same : len(before) - rest]), _text(after[same : len(after) - rest])
    return Fault(module, same + 1, original, text, changed)


def _text(lines: list[str]) -> str:
    return textwrap.dedent("\n".join(lines)).strip()
