"""The inbox's handle: copies of it, and other threads that use it."""

from __future__ import annotations

import copy
import threading

from reference import Agent, Inbox
from reference.inbox import Item, Pushed, Queue, Settled
from tests.reference.fakes import Script, ignore, run


def test_copies_of_a_handle_and_handles_taken_later_reach_the_same_inbox() -> None:
    agent = Agent()
    handle = agent.inbox()
    for n, each in enumerate(
        [handle, handle.clone(), copy.copy(handle), copy.deepcopy(handle), agent.inbox()]
    ):
        each.push(str(n))
    run(agent.resume(Script(["Done."]), ignore))
    assert [message.content for message in agent.messages[:5]] == ["0", "1", "2", "3", "4"]


def test_two_agents_have_two_inboxes() -> None:
    one, other = Agent(), Agent()
    one.inbox().push("for one")
    other.inbox().push("for the other")
    run(one.resume(Script(["Done."]), ignore))
    assert [message.content for message in one.messages] == ["for one", "Done."]


def test_items_come_out_in_the_order_in_which_they_were_put_in() -> None:
    queue = Queue()
    inbox = Inbox(queue)
    inbox.push("a")
    inbox.reject("call", "b")
    inbox.resolve("call", "c")
    assert list(queue.take_all()) == [Pushed("a"), Settled("call", "b", True), Settled("call", "c", False)]
    assert not queue


def test_eight_threads_at_once_lose_nothing_and_each_keeps_its_order() -> None:
    queue = Queue()
    inbox = Inbox(queue)
    together = threading.Barrier(9)

    def put(thread: int) -> None:
        together.wait()
        for n in range(2000):
            inbox.push(f"{thread} {n}")

    threads = [threading.Thread(target=put, args=[thread]) for thread in range(8)]
    for each in threads:
        each.start()
    together.wait()
    taken: list[Item] = []
    while any(each.is_alive() for each in threads):
        taken.extend(queue.take_all())
    taken.extend(queue.take_all())
    texts = [item.text for item in taken if isinstance(item, Pushed)]
    for thread in range(8):
        mine = [text for text in texts if text.startswith(f"{thread} ")]
        assert mine == [f"{thread} {n}" for n in range(2000)]
    assert len(texts) == 16000


def test_other_threads_may_use_the_handle_while_a_run_is_going_on() -> None:
    agent = Agent()
    inbox = agent.inbox()

    def from_threads() -> None:
        threads = [threading.Thread(target=inbox.push, args=[str(n)]) for n in range(8)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()

    model = Script(["So far", from_threads, " so good."], ["Done."])
    run(agent.prompt("Go", model, ignore))
    assert sorted(message.content for message in model.saw[1][2:]) == [str(n) for n in range(8)]
