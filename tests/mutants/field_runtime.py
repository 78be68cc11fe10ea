"""The faults that users reported of resumed sub-agents, as they showed there."""

from __future__ import annotations

from tests.mutants import Mutant
from tests.mutants.runtime_chains import REATTACH, TAKEN
from tests.mutants.runtime_resume import CHECKPOINT, FOUND, REFUSED, STALE, STALE_ERROR

MADE = """\
            outcome = await _execute(tool, call, None)
            if not isinstance(outcome, Suspension):
                return outcome
"""
CALLED = "        answer = self._answers.get(occurrence)\n"

MUTANTS: list[Mutant] = [
    Mutant(
        "an Answer that was right once approves whatever the same handle asks for by then",
        "runtime",
        FOUND,
        f"""\
        owners = Runtime.resume.__dict__
{FOUND}\
        if node is not None:
            owners[(self, answer.id)] = node
        elif (was := owners.get((self, answer.id))) is not None and was.turn and was.turn.awaits:
            node, answer = was, Answer(was.turn.awaits.request.id, answer.ok, answer.data)
""",
        {
            "field/first-answer-to-the-second-request": STALE,
            "field/first-answer-to-the-second-request-of-a-turn": STALE,
            "field/first-answer-told-that-it-is-late": STALE_ERROR,
        },
    ),
    Mutant(
        "an Answer that comes a second time has the turn that suspended since then run again",
        "runtime",
        REFUSED,
        f"""\
            for each in self._tree.walk(self._tree.root):
                if each.turn is not None and each.turn._answers and each.turn.awaits is not None:
                    each.turn.attempt(Cause.ANSWER)
{REFUSED}""",
        {"field/first-answer-to-the-second-request-of-a-turn": STALE},
    ),
    Mutant(
        "the calls before the one that suspended are not made again",
        "rounds",
        CALLED,
        f"""\
        if self._answers and occurrence not in self._answers and call.name != "task":
            return ToolOutput("done before")
{CALLED}""",
        {
            "field/side-effect-before-a-suspension": CHECKPOINT,
            "field/side-effect-before-a-childs-suspension": CHECKPOINT,
        },
    ),
    Mutant(
        "the parent of a child that suspended spawns a second one for the same task",
        "turn",
        TAKEN,
        f"""\
{TAKEN}\
        for children in [] if self._answers else self._children.values():
            children.clear()
""",
        {"field/side-effect-before-a-childs-suspension": REATTACH},
        not_local="in every chain that is resumed there is a child to go on with",
    ),
]
