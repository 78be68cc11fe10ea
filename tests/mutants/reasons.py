"""Faults in what is said of calls and tasks that came to nothing, and in the limits and counts of clients."""

from __future__ import annotations

from tests.mutants import Mutant

MUTANTS = [
    Mutant(
        breaks="A task may have an empty prompt",
        module="task_tool",
        old="        if not isinstance(prompt, str) or not prompt:\n",
        new="        if not isinstance(prompt, str):\n",
        caught_by={"runtime/delegation/task-arguments": "runtime.delegation.task-arguments"},
    ),
    Mutant(
        breaks="The result of a task that was not done does not say which limit stopped it",
        module="task_tool",
        old='    why = f"{result.status}, {result.limit}" if result.limit else result.status\n',
        new="    why = result.status\n",
        caught_by={"runtime/delegation/says-why": "runtime.delegation.says-why"},
    ),
    Mutant(
        breaks="The result of a declined call of a sub-agent gives no reason",
        module="rounds",
        old="    if not answer.ok:\n        return declined(answer)\n",
        new='    if not answer.ok:\n        return ToolOutput("It was not granted.", is_error=True)\n',
        caught_by={"runtime/resume/declined-says-why": "runtime.resume.declined-says-why"},
    ),
    Mutant(
        breaks="What an interpreter raised is kept from the model",
        module="rounds",
        old='f"It could not be answered: {_text_of(failure)}"',
        new='"It could not be answered."',
        caught_by={"runtime/resume/interpreter-fails": "runtime.resume.interpreter-fails"},
    ),
    Mutant(
        breaks="That a tool suspends again is no error",
        module="rounds",
        old='f"{call.name} suspended again although it had its answer.", is_error=True',
        new='f"{call.name} suspended again although it had its answer."',
        caught_by={"runtime/resume/second-suspension": "runtime.resume.second-suspension"},
    ),
    Mutant(
        breaks="The result of a declined call of a client gives no reason",
        module="client",
        old="    outputs = results_of(answer, waiting) if answer.ok else [declined(answer)] * len(waiting)\n",
        new="    outputs = results_of(answer, waiting)\n",
        caught_by={"client/answer/declined-says-why": "client.answer.declined-says-why"},
    ),
    Mutant(
        breaks="A client's usage is that of its last turn",
        module="client",
        old="            spent = self._spent\n",
        new="            spent = Usage(0, 0, 0)\n",
        caught_by={"client/run/counts": "client.run.counts"},
    ),
    Mutant(
        breaks="A client asks once more than it may",
        module="client",
        old="most is not None and self._turns >= most",
        new="most is not None and self._turns > most",
        caught_by={"client/run/max-turns": "client.run.max-turns"},
    ),
]
