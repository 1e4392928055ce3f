"""Threads, children, signals, interpreters, the end of the process."""

import gc
import os
import signal
import sys
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest
from promptweave import Engine
from support import acme, run


def test_threads_build_the_same():
    engine = acme(lambda inputs: f"in {inputs['cwd']}", reads=["cwd"])
    session, standard = engine.session(), Engine()
    expected = standard.prompt({"cwd": "/a"}).text

    def work(at):
        for _ in range(50):
            assert engine.prompt({"cwd": f"/{at}"}).section("own") == f"in /{at}"
            assert session.prompt({"cwd": f"/{at}"}).section("own") == f"in /{at}"
            assert standard.prompt({"cwd": "/a"}).text == expected
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


def test_others_run_while_it_builds():
    """Else the component, which waits for another thread, would miss its deadline."""
    begun, go = threading.Event(), threading.Event()

    def own(inputs):
        begun.set()
        return "gone" if go.wait(5) else "alone"

    def other():
        begun.wait(5)
        go.set()

    thread = threading.Thread(target=other)
    thread.start()
    assert acme(own, deadline_ms=10_000).prompt().section("own") == "gone"
    thread.join()


def test_a_forked_child_goes_on():
    engine = acme(lambda inputs: "hello")
    assert engine.prompt().section("own") == "hello"
    child = os.fork()
    if child == 0:
        os._exit(0 if engine.prompt().section("own") == "hello" else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert engine.prompt().section("own") == "hello"


def test_an_interrupt_ends_a_build_that_waits():
    engine = acme(lambda inputs: time.sleep(3), deadline_ms=60_000)
    # A process that runs in the background may have been told to take no notice of interrupts.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        begun = time.monotonic()
        threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
        with pytest.raises(KeyboardInterrupt):
            engine.prompt()
        assert time.monotonic() - begun < 2.5
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_handler_of_signals_runs_meanwhile():
    heard = []
    before = signal.signal(signal.SIGUSR1, lambda *_: heard.append(time.monotonic()))
    try:
        threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGUSR1]).start()
        assert acme(lambda inputs: time.sleep(0.6) or "late").prompt().section("own") == "late"
        assert heard and time.monotonic() - heard[0] > 0.2
    finally:
        signal.signal(signal.SIGUSR1, before)


@pytest.mark.parametrize("sleeps", ["time.sleep(0.5)", "threading.Event().wait()", "[0 for _ in iter(int, 1)]"])
def test_the_process_ends_while_a_component_runs(sleeps):
    done = run(
        f"""
        import threading, time
        from support import acme
        def own(inputs):
            {sleeps}
        engine = acme(own, deadline_ms=30)
        print(engine.prompt().text)
        """
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "You are a coding agent.\n", "")


def test_the_process_ends_while_a_thread_builds():
    done = run(
        """
        import threading, time
        from support import acme
        engine = acme(lambda inputs: "hello")
        def build():
            while True:
                engine.prompt({"cwd": "/a"}).text
        for _ in range(4):
            threading.Thread(target=build, daemon=True).start()
        time.sleep(0.2)
        """
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_it_is_refused_in_other_interpreters():
    name = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
    done = run(
        f"""
        import {name} as interpreters
        import promptweave
        own = interpreters.create()
        script = "try: import promptweave\\nexcept ImportError as error: print('refused:', error)"
        interpreters.run_string(own, script)
        print(len(promptweave.Engine().prompt().text) > 0)
        """
    )
    assert done.returncode == 0 and done.stdout.startswith("refused: "), done
    assert done.stdout.endswith("True\n")


def test_cycles_are_collected():
    """With their threads: a component that holds its engine, or a session of it."""

    class Held:
        pass

    def cycle():
        def own(inputs):
            return own.held and "hello"

        own.held, own.session = Held(), acme(own).session()
        assert own.session.prompt().section("own") == "hello"
        return weakref.ref(own.held)

    gone = [cycle() for _ in range(20)]
    gc.collect()
    assert [held() for held in gone] == [None] * 20


def test_sessions_keep_their_components():
    session = acme(lambda inputs: "hello").session()
    restored = acme(lambda inputs: "hello").restore(session.save())
    gc.collect()
    for one in [session, restored]:
        assert one.prompt().section("own") == "hello"


def test_cycles_and_the_end():
    """Objects that hold each other, alive at the end of the process."""
    done = run(
        """
        from support import acme
        from promptweave import Parser
        def own(inputs):
            return str(own.engine is not None)
        own.engine = acme(own)
        print(own.engine.prompt().section("own"))
        keep = [own.engine.session(), Parser(specs={"tools": {}}).push("a")]
        """
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")
