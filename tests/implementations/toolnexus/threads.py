"""Threads that do one thing at a time: the event loop stands still while one of them works, until it asks for
something or has ended.

toolnexus asks its model in a thread. Were they let run, what two of them ask for, and what the loop does
meanwhile, would come in one order today and in another tomorrow, and no two reports would be the same.
"""

import asyncio
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue


class Threads(ThreadPoolExecutor):
    """The threads of an event loop, for `loop.set_default_executor`."""

    def __init__(self):
        super().__init__()
        self.of_this_thread = threading.local()
        self.questions = set()  # those that have not been answered yet

    def submit(self, work, /, *arguments, **named):
        said, outcome = SimpleQueue(), Future()

        def run():
            self.of_this_thread.said = said
            try:
                said.put((outcome.set_result, work(*arguments, **named)))
            except BaseException as error:  # noqa: BLE001 - it is for who asked for the work, as in any pool
                said.put((outcome.set_exception, error))

        outcome.set_running_or_notify_cancel()
        threading.Thread(target=run, daemon=True).start()  # a pool would be full of those that wait
        self.listen(said)
        return outcome

    def ask(self, question):
        """In one of these threads: what the loop answers to a coroutine function without parameters."""
        answer = Future()
        self.of_this_thread.said.put((self.answer, (question, answer)))
        return answer.result()

    def listen(self, said):
        """In the loop: wait for what the thread says next, and act on it."""
        act, what = said.get()
        if act == self.answer:
            self.answer(what, said)
        else:
            act(what)

    def answer(self, what, said):
        question, answer = what
        task = asyncio.get_running_loop().create_task(question())
        self.questions.add(task)

        def pass_on(task):
            self.questions.discard(task)
            if task.cancelled():
                answer.cancel()
            elif task.exception() is not None:
                answer.set_exception(task.exception())
            else:
                answer.set_result(task.result())
            self.listen(said)

        task.add_done_callback(pass_on)

    def forget(self):
        """Answer nothing that is still waited for."""
        for task in tuple(self.questions):
            task.cancel()
