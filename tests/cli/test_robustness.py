#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""roofbeam as a stranger with bad luck meets it: interrupted, in a narrow or read-only place, with
broken files, broken libraries, one core, little memory, no terminal. One behaviour a test.

    tests/cli/test_robustness.py [--bin PATH] [unittest's arguments, e.g. -v -k ctrl_c]

Everything runs on this machine's real CPU, in a clean environment with a marker by which every
process that a test leaves behind is found. One profile is measured first and shared.
"""
import argparse
import concurrent.futures
import contextlib
import fcntl
import json
import os
import pty
import re
import resource
import select
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
import uuid

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MARK = f"ROOFBEAM_ROBUSTNESS={uuid.uuid4().hex}"
TIMEOUT_S = 60
PROMPT_S = 2  # how soon an interrupted program has ended
READER_GONE = 1  # of a program whose output nobody wants; it says nothing
NOBODY = 65534
WORKERS = ("onednn", "openblas")
WARNING = "roofbeam: warning: "  # beside JSON, where a busy machine disturbed
ESCAPE = "\x1b"

PROGRAM = os.path.join(ROOT, "build/test/bin/roofbeam")
SHARED = {}  # what setUpModule made: tmp, state, profile (a path), first (the run that measured)


# Running the program.

class Done:
    """A run that has ended; code is 130 for exit code 130 and -2 for an end by SIGINT."""

    def __init__(self, code, out, err, seconds):
        self.code, self.out, self.err, self.seconds = code, out, err, seconds

    def __repr__(self):
        return (f"exit {self.code} after {self.seconds:.2f} s\n--- stdout\n{self.out[:2000]}\n"
                f"--- stderr\n{self.err[:2000]}")


def environment(**changes):
    """A clean environment; a change to None takes the variable away."""
    name, _, value = MARK.partition("=")
    clean = {"PATH": "/usr/bin:/bin", "HOME": SHARED["tmp"], "XDG_STATE_HOME": SHARED["state"],
             "LANG": "C.UTF-8", "TERM": "xterm", "COLUMNS": "80", name: value,
             "ASAN_OPTIONS": "handle_segv=0"}  # a crash is to end as it does for users
    clean.update(changes)
    return {key: text for key, text in clean.items() if text is not None}


def before(limits=(), cpus=None):
    """What the child does first: signals as a shell leaves them, limits, its CPUs."""
    def prepare():
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        for kind, value in limits:
            resource.setrlimit(kind, (value, value))
        if cpus is not None:
            os.sched_setaffinity(0, cpus)
    return prepare


def sanitized():
    with open(PROGRAM, "rb") as file:
        content = file.read()
    return b"__asan_init" in content or b"__tsan_init" in content


def start(arguments, env=None, limits=(), cpus=None, nobody=False, **streams):
    if any(kind == resource.RLIMIT_AS for kind, _ in limits) and sanitized():
        raise unittest.SkipTest("a sanitizer needs terabytes of address space")
    identity = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if nobody else {}
    return subprocess.Popen([PROGRAM] + list(arguments), cwd=ROOT, env=environment(**(env or {})),
                            preexec_fn=before(limits, cpus), stdin=subprocess.DEVNULL,
                            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
                               **identity, **streams})


def run(*arguments, timeout=TIMEOUT_S, **how):
    began = time.monotonic()
    process = start(arguments, **how)
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"roofbeam {' '.join(arguments)} was not done after {timeout} s: "
                             f"{(err or b'').decode()}") from None
    return Done(process.returncode, (out or b"").decode(), (err or b"").decode(),
                time.monotonic() - began)


class Terminal:
    """The program in front of a terminal of its own: stderr is there, stdout too or in a file,
    stdin too or nowhere."""

    def __init__(self, *arguments, stdout_too=False, stdin_too=False, **how):
        self.main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        self.out = tempfile.TemporaryFile()
        prepare = before()

        def with_terminal():
            prepare()
            fcntl.ioctl(2, termios.TIOCSCTTY, 0)  # so that \x03 is Ctrl-C
        self.process = subprocess.Popen(
            [PROGRAM] + list(arguments), cwd=ROOT, env=environment(**how.get("env", {})),
            preexec_fn=with_terminal, start_new_session=True,
            stdin=side if stdin_too else subprocess.DEVNULL,
            stdout=side if stdout_too else self.out, stderr=side)
        os.close(side)
        self.seen = b""
        self.began = time.monotonic()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.main)
        self.out.close()

    def _read(self, seconds):
        """False at the end of what the terminal shows."""
        if not select.select([self.main], [], [], seconds)[0]:
            return True
        try:
            block = os.read(self.main, 65536)
        except OSError:  # EIO: the other side is closed
            return False
        self.seen += block
        return bool(block)

    def wait_for(self, text, timeout=TIMEOUT_S):
        until = time.monotonic() + timeout
        while text.encode() not in self.seen:
            if time.monotonic() > until or not self._read(0.05):
                raise AssertionError(f"{text!r} was never shown: {self.seen!r}")

    def press_ctrl_c(self):
        os.write(self.main, b"\x03")
        self.began = time.monotonic()

    def type(self, keys):
        os.write(self.main, keys)

    def send(self, number):
        self.process.send_signal(number)
        self.began = time.monotonic()

    def end(self, timeout=TIMEOUT_S):
        """Waits for the end; seconds are from the last key or signal on."""
        until = time.monotonic() + timeout
        while self._read(0.02) and time.monotonic() < until:
            pass
        try:
            code = self.process.wait(max(0.1, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running after {timeout} s: {self.seen!r}") from None
        seconds = time.monotonic() - self.began
        self.out.seek(0)
        return Done(code, self.out.read().decode(), self.seen.decode(), seconds)


# What a test needs to know of this place.

def marked_processes():
    """(pid, name) of every living process that a test of this run started."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            with open(f"/proc/{pid}/environ", "rb") as file:
                if MARK.encode() not in file.read().split(b"\0"):
                    continue
            found.append((int(pid), os.path.basename(os.readlink(f"/proc/{pid}/exe"))))
    return found


def worker_folder():
    return os.path.dirname(os.path.abspath(PROGRAM))


def library():
    """A library that is here, or our own loops."""
    for name in WORKERS:
        if os.access(os.path.join(worker_folder(), "roofbeam-gemm-" + name), os.X_OK):
            return name
    return "blocked"


def cpus_here():
    return sorted(os.sched_getaffinity(0))


def only_root(test):
    return unittest.skipUnless(os.geteuid() == 0, "only root can become another user")(test)


def needs_worker(*names):
    def decorate(test):
        def checked(self):
            for name in names:
                if not os.access(os.path.join(worker_folder(), "roofbeam-gemm-" + name), os.X_OK):
                    self.skipTest(f"roofbeam-gemm-{name} was not built")
            test(self)
        checked.__name__, checked.__doc__ = test.__name__, test.__doc__
        return checked
    return decorate


def setUpModule():
    SHARED["tmp"] = tempfile.mkdtemp(prefix="roofbeam-robust-")
    os.chmod(SHARED["tmp"], 0o755)
    SHARED["state"] = os.path.join(SHARED["tmp"], "state")
    SHARED["first"] = run("matmul", "-n", "64", "--library", "blocked", "--json")
    folder = os.path.join(SHARED["state"], "roofbeam")
    names = os.listdir(folder) if os.path.isdir(folder) else []
    if len(names) != 1:
        raise AssertionError(f"no profile was saved: {names} {SHARED['first']}")
    SHARED["profile"] = os.path.join(folder, names[0])


def tearDownModule():
    shutil.rmtree(SHARED["tmp"], ignore_errors=True)


class Robust(unittest.TestCase):
    """Every test has a folder of its own, and leaves no process and no half file."""

    def setUp(self):
        self.tmp = tempfile.mkdtemp(dir=SHARED["tmp"])
        os.chmod(self.tmp, 0o755)

    def tearDown(self):
        self.addCleanup(shutil.rmtree, self.tmp, ignore_errors=True)
        until = time.monotonic() + 1
        while marked_processes() and time.monotonic() < until:
            time.sleep(0.02)
        left = marked_processes()
        for pid, _ in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        self.assertEqual(left, [], "processes were left behind")
        half = [os.path.join(folder, name) for top in (self.tmp, SHARED["state"])
                for folder, _, names in os.walk(top)
                for name in names if name.endswith(".partial")]
        self.assertEqual(half, [], "half files were left behind")

    def path(self, *names):
        return os.path.join(self.tmp, *names)

    def write(self, name, content, mode=0o644):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(content)
        os.chmod(self.path(name), mode)
        return self.path(name)

    def read(self, path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def check_exit(self, got, code, done=None):
        """A sanitizer slows the probes down and no library, which then lies above the ceilings."""
        if code == 0 and got == 3 and sanitized():
            got = 0
        self.assertEqual(got, code, done)

    def check(self, done, code, *in_stderr):
        self.check_exit(done.code, code, done)
        for text in in_stderr:
            self.assertIn(text, done.err, done)
        for noise in ("terminate called", "Traceback", "Sanitizer", "Aborted", "what():"):
            self.assertNotIn(noise, done.err + done.out)

    def sentence(self, done):
        """The one line of complaint; below it only hints, two columns further right."""
        lines = done.err.splitlines()
        self.assertTrue(lines, done)
        self.assertTrue(lines[0].startswith("roofbeam: "), done)
        self.assertTrue(all(line.startswith("  ") for line in lines[1:]), done)
        return lines[0]


# Interrupted.

class Interrupted(Robust):
    LONG = ("matmul", "-n", "6000", "--reps", "50")

    def state(self):
        return {"XDG_STATE_HOME": self.path("state")}

    def test_ctrl_c_while_ceilings_are_measured(self):
        with Terminal(*self.LONG, env=self.state()) as terminal:
            terminal.wait_for("[2/")
            terminal.press_ctrl_c()
            done = terminal.end()
        self.check(done, 130, "stopped")
        self.assertEqual(done.out, "")
        self.assertLess(done.seconds, PROMPT_S)

    def test_sigterm_while_ceilings_are_measured_saves_nothing(self):
        with Terminal(*self.LONG, env=self.state()) as terminal:
            terminal.wait_for("[1/")
            terminal.send(signal.SIGTERM)
            done = terminal.end()
        self.check(done, 130)
        self.assertLess(done.seconds, PROMPT_S)
        self.assertFalse(os.path.exists(self.path("state")))

    def interrupt_product(self, delay):
        with Terminal(*self.LONG, "--library", library(), "--json") as terminal:
            terminal.wait_for("[1/5] matmul by")
            time.sleep(delay)
            terminal.press_ctrl_c()
            return terminal.end()

    def test_ctrl_c_while_the_operands_are_made(self):
        done = self.interrupt_product(0.1)
        self.check(done, 130)
        self.assertLess(done.seconds, PROMPT_S)

    def test_ctrl_c_in_the_first_product_leaves_no_answer(self):
        done = self.interrupt_product(4)
        self.check(done, 130)
        self.assertLess(done.seconds, PROMPT_S)
        if library() != "blocked":
            self.assertEqual(done.out, "")

    def interrupt_after_a_restart(self, *more, stop=Terminal.press_ctrl_c):
        with Terminal("matmul", "-n", "1024", "--reps", "100", "--library", library(), *more) as t:
            t.wait_for("[3/5] matmul by")
            stop(t)
            done = t.end()
        self.check(done, 130)
        self.assertLess(done.seconds, PROMPT_S)
        return done

    def test_ctrl_c_after_a_restart_prints_what_is_finished(self):
        answer = json.loads(self.interrupt_after_a_restart("--json").out)
        self.assertIs(answer["complete"], False)
        self.assertEqual(answer["points"][0]["time_s"]["samples"], 2)

    def test_sigterm_after_a_restart_prints_what_is_finished(self):
        done = self.interrupt_after_a_restart("--json", stop=lambda t: t.send(signal.SIGTERM))
        self.assertIs(json.loads(done.out)["complete"], False)

    def test_an_interrupted_answer_says_so_in_words(self):
        self.assertIn("stopped early", self.interrupt_after_a_restart().out)

    def test_an_interrupted_answer_is_written_to_its_file(self):
        self.interrupt_after_a_restart("-o", self.path("answer.json"))
        self.assertIs(json.loads(self.read(self.path("answer.json")))["complete"], False)

    def test_ctrl_c_in_a_sweep_keeps_the_products_that_are_done(self):
        with Terminal("matmul", "-n", "1024", "--sweep", "--threads", "1", "--library", library(),
                      "--json") as terminal:
            terminal.wait_for("[3/5] n = 256 with 1 thread")
            terminal.press_ctrl_c()
            done = terminal.end()
        self.check(done, 130)
        self.assertLess(done.seconds, PROMPT_S)
        answer = json.loads(done.out)
        self.assertIs(answer["complete"], False)
        self.assertEqual([point["n"] for point in answer["points"]][:2], [64, 128])
        self.assertIn("of 5 products", answer["warnings"][0]["text"])
        self.assertEqual(answer["verdict_of"], len(answer["points"]) - 1)

    def test_ctrl_c_while_a_library_hangs_at_its_start(self):
        folder = os.path.join(worker_folder(), "test_workers/hang")
        if not os.path.isdir(folder):
            self.skipTest("the bad test workers were not built")
        with Terminal("matmul", "--library", "onednn",
                      env={"ROOFBEAM_WORKER_DIR": folder}) as terminal:
            time.sleep(0.5)
            terminal.press_ctrl_c()
            done = terminal.end()
        self.check(done, 130)
        self.assertLess(done.seconds, PROMPT_S)

    def end_by_two(self, first, second):
        os.mkfifo(self.path("silent"))
        with Terminal("devices", "--device", "fake:" + self.path("silent")) as terminal:
            time.sleep(0.3)
            terminal.send(first)
            time.sleep(0.1)
            if terminal.process.poll() is None:
                terminal.send(second)
            done = terminal.end(timeout=10)
        self.assertIn(done.code, (130, -first, -second), done)
        self.assertLess(done.seconds, 1)

    def test_a_second_ctrl_c_ends_at_once(self):
        self.end_by_two(signal.SIGINT, signal.SIGINT)

    def test_sigterm_after_ctrl_c_ends_at_once(self):
        self.end_by_two(signal.SIGINT, signal.SIGTERM)

    def test_workers_die_with_a_killed_program(self):
        with Terminal(*self.LONG, "--library", library()) as terminal:
            terminal.wait_for("[1/5] matmul by")
            time.sleep(0.3)
            terminal.send(signal.SIGKILL)
            self.assertEqual(terminal.end().code, -signal.SIGKILL)
        # tearDown sees whether one is left


# Where output goes.

class Commands(Robust):
    """`place -- CMD`: what is run belongs to the run."""

    ALONE = ("place", "--device", "fake:examples/two_core.json", "--json")
    FAMILY = ("--", "sh", "-c", "echo began; sleep 60 & (trap '' TERM; sleep 61) & wait")

    def test_what_a_command_prints_is_not_the_answer(self):
        done = run(*self.ALONE, "--", "sh", "-c", "echo noise; echo more >&2; sleep 0.1")
        self.check(done, 0, "noise", "more")
        self.assertEqual(json.loads(done.out)["schema"], "roofbeam.place/1")

    def interrupt(self, stop, **how):
        with Terminal(*self.ALONE, *self.FAMILY, **how) as terminal:
            terminal.wait_for("began")
            stop(terminal)
            done = terminal.end()
        self.check(done, 130, "stopped while the command ran")
        self.assertEqual(done.out, "")
        self.assertLess(done.seconds, PROMPT_S)

    def test_ctrl_c_ends_a_command_and_all_it_started(self):
        self.interrupt(Terminal.press_ctrl_c)

    def test_sigterm_ends_a_command_and_all_it_started(self):
        self.interrupt(lambda terminal: terminal.send(signal.SIGTERM))

    def test_ctrl_c_reaches_a_command_that_reads_the_terminal(self):
        self.interrupt(Terminal.press_ctrl_c, stdin_too=True)

    def test_a_command_reads_the_terminal_and_the_terminal_comes_back(self):
        with Terminal(*self.ALONE, "--", "sh", "-c", "echo began; read line; echo got $line",
                      stdin_too=True) as terminal:
            terminal.wait_for("began")
            terminal.type(b"words\n")
            done = terminal.end()
        self.check(done, 0, "got words")

    def test_ctrl_z_does_not_suspend_a_command_that_is_timed(self):
        with Terminal(*self.ALONE, "--", "sh", "-c", "echo began; sleep 0.5; echo ended",
                      stdin_too=True) as terminal:
            terminal.wait_for("began")
            terminal.type(b"\x1a")
            done = terminal.end()
        self.check(done, 0, "ended")

    def test_a_command_dies_with_a_killed_program(self):
        process = start(self.ALONE + ("--", "sleep", "60"))
        until = time.monotonic() + TIMEOUT_S
        while not any(name == "sleep" for _, name in marked_processes()):
            self.assertLess(time.monotonic(), until)
            time.sleep(0.01)
        process.kill()
        process.communicate()

    @only_root
    def test_another_user_may_run_commands_too(self):
        done = run(*self.ALONE, "--", "sleep", "0.1", nobody=True)
        self.check(done, 0)


class Output(Robust):
    OLD = "what stood here before\n"

    def test_a_closed_pipe_is_no_reason_to_complain(self):
        reading, writing = os.pipe()
        os.close(reading)
        done = run("amdahl", stdout=writing)
        os.close(writing)
        self.check(done, READER_GONE)
        self.assertEqual(done.err, "")

    def test_a_reader_that_leaves_early_is_no_reason_to_complain(self):
        many = ",".join(str(n) for n in range(1, 20000))
        process = start(["amdahl", "--json", "-N", many])
        self.assertEqual(len(os.read(process.stdout.fileno(), 10)), 10)
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertEqual(process.wait(TIMEOUT_S), READER_GONE)

    def test_a_closed_pipe_does_not_cost_the_file(self):
        reading, writing = os.pipe()
        os.close(reading)
        done = run("amdahl", "-o", self.path("answer.json"), stdout=writing)
        os.close(writing)
        self.check(done, READER_GONE)
        self.assertEqual(json.loads(self.read(self.path("answer.json")))["schema"],
                         "roofbeam.amdahl/1")

    def test_a_full_disk_behind_stdout_is_told(self):
        with open("/dev/full", "wb") as full:
            done = run("amdahl", stdout=full)
        self.check(done, 1, "No space left on device")
        self.assertEqual(len(self.sentence(done).splitlines()), 1)

    def test_a_full_disk_behind_stdout_does_not_cost_the_file(self):
        with open("/dev/full", "wb") as full:
            done = run("amdahl", "-o", self.path("answer.json"), stdout=full)
        self.check(done, 1)
        self.assertEqual(json.loads(self.read(self.path("answer.json")))["schema"],
                         "roofbeam.amdahl/1")

    def test_a_closed_stdout_is_told(self):
        done = subprocess.run(["/bin/sh", "-c", '"$0" amdahl >&-', PROGRAM], env=environment(),
                              stderr=subprocess.PIPE, timeout=TIMEOUT_S, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"could not write the result", done.stderr)

    def test_a_full_disk_keeps_the_old_file(self):
        if os.geteuid() != 0:
            self.skipTest("only root can mount a tiny disk")
        mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", self.tmp]
        if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
            self.skipTest("a tiny disk cannot be mounted here")
        try:
            old = self.write("answer.json", self.OLD)
            with contextlib.suppress(OSError):
                with open(self.path("filler"), "wb") as file:
                    for _ in range(128):
                        file.write(b"x" * 512)
                        file.flush()
            done = run("amdahl", "-o", old)
            self.check(done, 1, "No space left on device", old)
            self.assertIn("Amdahl", done.out)
            self.assertEqual(self.read(old), self.OLD)
            self.assertEqual(sorted(os.listdir(self.tmp)), ["answer.json", "filler"])
        finally:
            subprocess.run(["umount", self.tmp], check=True)

    def test_a_limit_of_file_sizes_keeps_the_old_file(self):
        old = self.write("answer.json", self.OLD)
        done = run("amdahl", "-o", old, limits=[(resource.RLIMIT_FSIZE, 1024)])
        self.check(done, 1, "File too large", old)
        self.assertEqual(self.read(old), self.OLD)
        self.assertEqual(os.listdir(self.tmp), ["answer.json"])

    def test_a_file_where_a_folder_is_needed(self):
        file = self.write("file", self.OLD)
        done = run("amdahl", "-o", os.path.join(file, "answer.json"))
        self.check(done, 1, "Not a directory", file)
        self.assertIn("Amdahl", done.out)
        self.assertEqual(self.read(file), self.OLD)

    def test_a_folder_where_a_file_is_wanted(self):
        done = run("amdahl", "-o", self.tmp)
        self.check(done, 1, "this is a folder", self.tmp)
        self.assertIn("Amdahl", done.out)

    @only_root
    def test_a_page_that_may_not_be_written(self):
        page = self.path("page.html")
        done = run("amdahl", "--html", page, nobody=True)
        self.check(done, 1, "Permission denied", page)
        self.assertIn("Amdahl", done.out)
        self.assertFalse(os.path.exists(page))


# What is kept between runs.

class State(Robust):
    """Where a profile must be measured it is for one core, which takes half the time."""

    def measure(self, env, **how):
        return run("matmul", "-n", "64", "--library", "blocked", "--json", env=env,
                   cpus={cpus_here()[-1]}, **how)

    def check_measured(self, done, note):
        self.check(done, 0, "measured this machine's ceilings", note)
        self.assertEqual(json.loads(done.out)["schema"], "roofbeam.matmul/1")

    def test_without_any_home_it_measures_and_says_once_that_it_cannot_keep(self):
        done = self.measure({"HOME": None, "XDG_STATE_HOME": None})
        self.check_measured(done, "not saved: neither XDG_STATE_HOME nor HOME is set")
        self.assertEqual(done.err.count("not saved"), 1)

    @only_root
    def test_a_home_that_may_not_be_written(self):
        done = self.measure({"HOME": self.tmp, "XDG_STATE_HOME": None}, nobody=True)
        self.check_measured(done, "not saved: could not make the folder: Permission denied")
        self.assertEqual(os.listdir(self.tmp), [])

    def test_a_state_folder_that_is_a_file(self):
        file = self.write("state", "a file\n")
        self.check_measured(self.measure({"XDG_STATE_HOME": file}), "not saved")
        self.assertEqual(self.read(file), "a file\n")

    def saved_as(self, content):
        """A state folder whose profile for this machine has this content."""
        os.makedirs(self.path("roofbeam"))
        name = os.path.basename(SHARED["profile"])
        return self.write(os.path.join("roofbeam", name), content)

    def measures_again(self, content):
        saved = self.saved_as(content)
        with Terminal("matmul", "-n", "64", "--library", "blocked",
                      env={"XDG_STATE_HOME": self.tmp}) as terminal:
            terminal.wait_for("measuring")
            terminal.press_ctrl_c()
            self.check(terminal.end(), 130)
        self.assertEqual(self.read(saved), content)  # nothing finished, so nothing was replaced

    def test_a_saved_profile_is_used(self):
        done = run("matmul", "-n", "64", "--library", "blocked")
        self.check(done, 0)
        self.assertEqual(done.err, "")

    def test_a_truncated_profile_is_measured_again(self):
        text = self.read(SHARED["profile"])
        self.measures_again(text[:len(text) // 2])

    def test_a_profile_of_a_newer_schema_is_measured_again(self):
        text = self.read(SHARED["profile"])
        self.measures_again(text.replace("roofbeam.machine/1", "roofbeam.machine/2"))

    def test_an_empty_profile_is_measured_again(self):
        self.measures_again("")

    def test_garbage_in_place_of_a_profile_is_replaced(self):
        saved = self.saved_as("\0\x01 no profile {[\n")
        done = run("matmul", "-n", "64", "--library", "blocked",
                   env={"XDG_STATE_HOME": self.tmp})
        self.check(done, 0, "saved in " + saved)
        self.assertEqual(json.loads(self.read(saved))["schema"], "roofbeam.machine/1")

    def test_a_truncated_profile_that_was_asked_for_is_refused(self):
        text = self.read(SHARED["profile"])
        half = self.write("half.json", text[:len(text) // 2])
        done = run("matmul", "-n", "64", "--profile", half)
        self.check(done, 2)
        at = re.search(re.escape(half) + r":(\d+)", done.err)
        self.assertTrue(at, done)
        self.assertAlmostEqual(int(at.group(1)), len(text) // 2, delta=200)
        self.assertEqual(done.out, "")

    def test_a_profile_with_a_wrong_field_is_refused_by_its_name(self):
        profile = json.loads(self.read(SHARED["profile"]))
        profile["devices"][0]["cores_usable"] = "two"
        wrong = self.write("wrong.json", json.dumps(profile))
        done = run("matmul", "-n", "64", "--profile", wrong)
        self.check(done, 2, wrong, "cores_usable", "expected a whole number")

    def test_a_newer_profile_that_was_asked_for_is_refused(self):
        text = self.read(SHARED["profile"]).replace("roofbeam.machine/1", "roofbeam.machine/2")
        done = run("matmul", "-n", "64", "--profile", self.write("new.json", text))
        self.check(done, 2, "new.json", "roofbeam.machine/2")


# Little of what others have much of.

class Scarce(Robust):
    def one_cpu(self, cpu):
        """Runs bound to this CPU; where its threads and its workers' may run is watched."""
        process = start(["matmul", "-n", "512", "--reps", "40", "--library", library(), "--json",
                         "--profile", SHARED["profile"]], cpus={cpu}, stderr=subprocess.DEVNULL)
        allowed = {}  # a list of CPUs → who may run there
        while process.poll() is None:
            for pid, name in marked_processes():
                with contextlib.suppress(OSError):
                    for task in os.listdir(f"/proc/{pid}/task"):
                        text = self.read(f"/proc/{pid}/task/{task}/status")
                        allowed.setdefault(
                            re.search(r"Cpus_allowed_list:\s*(\S+)", text).group(1),
                            f"{name} {pid} task {task}")
            if select.select([process.stdout], [], [], 0.02)[0]:
                break
        out = process.communicate(timeout=TIMEOUT_S)[0]
        self.check_exit(process.returncode, 0)
        self.assertEqual(list(allowed), [str(cpu)], allowed)
        answer = json.loads(out)
        self.assertEqual(answer["points"][0]["threads"], 1)
        self.assertEqual(answer["device"]["cores_bound_by"], "affinity")

    def test_only_the_last_cpu_is_used_where_only_it_may_be(self):
        if len(cpus_here()) < 2:
            self.skipTest("there is one CPU here")
        self.one_cpu(cpus_here()[-1])

    def test_only_the_first_cpu_is_used_where_only_it_may_be(self):
        if len(cpus_here()) < 2:
            self.skipTest("there is one CPU here")
        self.one_cpu(cpus_here()[0])

    def test_two_threads_on_one_cpu_are_refused(self):
        done = run("matmul", "--threads", "2", cpus={cpus_here()[-1]})
        self.check(done, 2, "2 threads on 1 usable cores", "affinity")

    def in_64_mib(self, *arguments):
        done = run(*arguments, limits=[(resource.RLIMIT_AS, 64 << 20)])
        self.check(done, 0)
        self.assertLess(done.seconds, 3)
        return done.out

    def test_64_mib_are_enough_for_the_version(self):
        self.assertRegex(self.in_64_mib("--version"), r"^roofbeam \d+\.\d+\.\d+\n$")

    def test_64_mib_are_enough_for_help(self):
        self.assertIn("usage", self.in_64_mib("help"))

    def test_64_mib_are_enough_for_amdahl(self):
        self.assertIn("Amdahl", self.in_64_mib("amdahl"))

    def test_64_mib_are_enough_for_json(self):
        self.assertEqual(json.loads(self.in_64_mib("amdahl", "--json"))["schema"],
                         "roofbeam.amdahl/1")

    def test_64_mib_are_enough_for_a_page(self):
        self.in_64_mib("amdahl", "--html", self.path("page.html"))
        self.assertIn("</html>", self.read(self.path("page.html")))

    def test_64_mib_are_enough_for_the_devices(self):
        out = self.in_64_mib("devices", "--json")
        self.assertEqual(json.loads(out)["devices"][0]["id"], "cpu")

    def test_threads_that_cannot_be_started_are_told(self):
        done = run("matmul", "-n", "64", "--library", "blocked",
                   limits=[(resource.RLIMIT_AS, 16 << 20)])
        self.check(done, 1)
        self.sentence(done)

    def test_a_product_larger_than_memory_is_refused_with_both_numbers(self):
        done = run("matmul", "-n", "1000000")
        self.check(done, 1, "need 10.9 TiB", "is available", "choose a smaller")
        self.assertRegex(done.err, r"[\d.]+ [MGT]iB is available")
        self.assertLess(done.seconds, 1)

    def no_room(self, name):
        """1.1 GiB of operands in 1 GiB of address space, where the machine itself has more."""
        done = run("matmul", "-n", "10000", "--library", name,
                   limits=[(resource.RLIMIT_AS, 1 << 30)])
        self.check(done, 1)
        return self.sentence(done)

    @needs_worker("onednn")
    def test_a_worker_without_room_says_so(self):
        said = self.no_room("onednn")
        sizes = re.search(r"need ([\d.]+ \w+), and ([\d.]+ \w+) can be had", said)
        # It must not claim that far more is there than is needed.
        self.assertFalse(sizes, said)

    def test_our_loops_without_room_say_so(self):
        self.assertIn("could not allocate", self.no_room("blocked"))


# Libraries that misbehave.

class Workers(Robust):
    def setUp(self):
        super().setUp()
        self.bad = os.path.join(worker_folder(), "test_workers")
        if not os.path.isdir(self.bad):
            self.skipTest("the bad test workers were not built")

    def named(self, fault, name="onednn"):
        return run("matmul", "-n", "64", "--library", name, timeout=15,
                   env={"ROOFBEAM_WORKER_DIR": os.path.join(self.bad, fault)})

    def refused(self, fault, *why):
        done = self.named(fault)
        self.check(done, 1, *why)
        self.sentence(done)
        self.assertRegex(done.err, r"\n  \S")  # and what to try
        self.assertEqual(done.out, "")
        self.assertNotIn(ESCAPE, done.err)

    def test_no_worker_at_all_is_told(self):
        done = run("matmul", "-n", "64", "--library", "onednn",
                   env={"ROOFBEAM_WORKER_DIR": self.tmp})
        self.check(done, 1, "onednn is not here", self.tmp, "libdnnl-dev")
        self.sentence(done)

    def test_without_a_worker_our_own_loop_is_taken(self):
        done = run("matmul", "-n", "64", "--json", env={"ROOFBEAM_WORKER_DIR": self.tmp})
        self.check(done, 0)
        self.assertEqual(json.loads(done.out)["points"][0]["library"], "blocked")

    def test_a_worker_that_crashes(self):
        self.refused("crash", "crashed: signal 11", "about to crash")

    def test_a_worker_that_is_wrong(self):
        done = self.named("wrong")
        self.check(done, 3)
        self.assertIn("WRONG", done.out)

    def test_a_worker_that_talks_nonsense(self):
        self.refused("garbage", "makes no sense")

    def test_a_worker_of_another_version(self):
        self.refused("version", "protocol 99")

    def test_a_worker_that_floods(self):
        self.refused("flood", "babbled")

    def test_a_worker_that_quits(self):
        self.refused("quit", "exit code 127", "libgone.so.7")

    def test_a_worker_that_prints_much_does_not_matter(self):
        self.check(self.named("chatter"), 0)

    @needs_worker("openblas")
    def test_a_worker_that_hangs_ends_a_run_by_name_and_no_run_by_auto(self):
        with concurrent.futures.ThreadPoolExecutor() as side:  # both wait for 10 s
            by_auto = side.submit(self.beside_openblas, "hang")
            self.refused("hang", "no answer within")
            by_auto.result()

    def beside_openblas(self, fault, why=None):
        """The bad onednn and the real openblas in one folder; auto must come through."""
        os.symlink(os.path.join(self.bad, fault, "roofbeam-gemm-onednn"),
                   self.path("roofbeam-gemm-onednn"))
        os.symlink(os.path.join(worker_folder(), "roofbeam-gemm-openblas"),
                   self.path("roofbeam-gemm-openblas"))
        done = run("matmul", "-n", "64", "--json", env={"ROOFBEAM_WORKER_DIR": self.tmp},
                   timeout=20)
        self.check(done, 0)
        answer = json.loads(done.out)
        self.assertEqual(answer["points"][0]["library"], "openblas")
        self.assertTrue(answer["points"][0]["check"]["passed"])
        if why:
            self.assertIn(why, done.out)

    @needs_worker("openblas")
    def test_auto_comes_through_a_crash(self):
        self.beside_openblas("crash", "signal 11")

    @needs_worker("openblas")
    def test_auto_comes_through_a_wrong_library(self):
        self.beside_openblas("wrong", "times what rounding explains")

    @needs_worker("openblas")
    def test_auto_comes_through_nonsense(self):
        self.beside_openblas("garbage")

    @needs_worker("openblas")
    def test_auto_comes_through_another_version(self):
        self.beside_openblas("version")

    @needs_worker("openblas")
    def test_auto_comes_through_a_flood(self):
        self.beside_openblas("flood")

    @needs_worker("openblas")
    def test_auto_comes_through_a_quitter(self):
        self.beside_openblas("quit")

    def test_auto_names_another_way_where_the_only_library_crashes(self):
        done = self.named("crash", "auto")
        self.check(done, 1, "crashed: signal 11", "try another --library")
        self.sentence(done)


# Terminals, colours, widths, languages.

class Looks(Robust):
    FAKE = ("matmul", "--device", "fake:tests/fakes/quiet.json")

    def test_no_escape_codes_in_pipes(self):
        for arguments in (("amdahl",), ("devices",), self.FAKE, ("matmul", "--bogus")):
            done = run(*arguments)
            self.assertNotIn(ESCAPE, done.out + done.err)

    def test_color_always_colours_a_pipe(self):
        self.assertIn(ESCAPE + "[", run("amdahl", "--color", "always").out)

    def on_terminal(self, *arguments, **env):
        with Terminal(*arguments, stdout_too=True, env=env) as terminal:
            done = terminal.end()
        self.check(done, 0)
        return done.err

    def test_a_terminal_gets_colours(self):
        self.assertRegex(self.on_terminal("amdahl"), ESCAPE + r"\[[\d;]+m")

    def test_no_color_is_honoured_on_a_terminal(self):
        self.assertNotRegex(self.on_terminal(*self.FAKE, NO_COLOR="1"), ESCAPE + r"\[[\d;]+m")

    def test_a_dumb_terminal_gets_no_escape_codes(self):
        self.assertNotIn(ESCAPE, self.on_terminal(*self.FAKE, TERM="dumb"))

    def test_the_width_of_the_terminal_is_followed(self):
        shown = self.on_terminal("amdahl", NO_COLOR="1", COLUMNS=None)
        self.assertEqual(max(len(line.rstrip("\r")) for line in shown.split("\n")), 100)

    def test_progress_on_a_terminal(self):
        with Terminal(*self.FAKE) as terminal:
            done = terminal.end()
        self.check(done, 0, "[1/", "measuring compute")
        self.assertNotIn("[1/", done.out)
        self.assertTrue(done.err.endswith("\r" + ESCAPE + "[K"), repr(done.err[-80:]))

    def test_no_progress_elsewhere(self):
        self.assertEqual(run(*self.FAKE).err, "")

    def test_no_progress_where_quiet_is_asked(self):
        with Terminal(*self.FAKE, "-q") as terminal:
            done = terminal.end()
        self.check(done, 0)
        self.assertEqual(done.err, "")

    def widest(self, columns):
        width = 0
        for arguments in (("amdahl",), ("devices", *self.FAKE[1:]), self.FAKE):
            done = run(*arguments, env={"COLUMNS": str(columns)})
            self.check(done, 0)
            width = max([width] + [len(line) for line in done.out.split("\n")])
        return width

    def test_40_columns_are_enough(self):
        self.assertLessEqual(self.widest(40), 40)

    def test_200_columns_are_used_up_to_160(self):
        width = self.widest(200)
        self.assertGreater(width, 100)
        self.assertLessEqual(width, 160)

    def ascii_only(self, *arguments):
        done = run(*arguments, env={"LANG": "C"})
        self.assertTrue((done.out + done.err).isascii(), done)

    def test_lang_c_is_ascii_for_amdahl(self):
        self.ascii_only("amdahl")

    def test_lang_c_is_ascii_for_devices(self):
        self.ascii_only("devices")

    def test_lang_c_is_ascii_for_matmul(self):
        self.ascii_only(*self.FAKE)
        self.ascii_only("matmul", "--device", "fake:tests/fakes/wrong.json")
        self.ascii_only("matmul", "-n", "64", "--library", library())

    def test_lang_c_is_ascii_for_help(self):
        self.ascii_only("help")
        self.ascii_only("matmul", "--bogus")

    def test_lang_c_is_ascii_for_progress(self):
        with Terminal(*self.FAKE, env={"LANG": "C"}) as terminal:
            done = terminal.end()
        self.check(done, 0, "measuring")
        self.assertTrue(done.err.isascii(), repr(done.err))


# JSON, Markdown, help.

class Texts(Robust):
    def test_json_is_all_that_is_printed_also_when_ceilings_come_first(self):
        first = SHARED["first"]
        self.check(first, 0)
        _, end = json.JSONDecoder().raw_decode(first.out)
        self.assertEqual(first.out[end:], "\n")
        notes = [line for line in first.err.splitlines() if not line.startswith(WARNING)]
        self.assertEqual(len(notes), 1, notes)  # its end depends on how busy the machine was
        self.assertTrue(notes[0].startswith("roofbeam: measured this machine's ceilings; saved in "
                                            f"{SHARED['profile']} for "), notes)

    def test_quiet_silences_stderr(self):
        done = run("matmul", "-n", "64", "--library", "blocked", "-q", "--json",
                   env={"XDG_STATE_HOME": None, "HOME": None}, cpus={cpus_here()[-1]})
        self.check(done, 0)
        self.assertEqual(done.err, "")
        json.loads(done.out)

    def test_the_file_holds_the_json_that_is_printed(self):
        for arguments in (("amdahl",), Looks.FAKE):
            done = run(*arguments, "--json", "-o", self.path("answer.json"))
            self.check(done, 0)
            self.assertEqual(self.read(self.path("answer.json")), done.out)

    def test_the_file_is_also_written_beside_a_printed_table(self):
        done = run("amdahl", "-o", self.path("new/folder/answer.json"))
        self.check(done, 0)
        self.assertIn("Amdahl", done.out)
        json.loads(self.read(self.path("new/folder/answer.json")))

    def test_markdown_is_a_table(self):
        for arguments in (("amdahl",), ("devices",), Looks.FAKE):
            done = run(*arguments, "--md")
            self.check(done, 0)
            self.assertRegex(done.out, r"(?m)^\|[ :-]+\|")
            self.assertEqual(done.err, "")

    def help_of(self, command):
        for option in ("-h", "--help"):
            done = run(command, option)
            self.check(done, 0)
            self.assertIn("usage: roofbeam " + command, done.out)
            self.assertEqual(done.err, "")
            long = [line for line in done.out.split("\n") if len(line) > 80]
            self.assertEqual(long, [])

    def test_help_of_matmul(self):
        self.help_of("matmul")

    def test_help_of_devices(self):
        self.help_of("devices")

    def test_help_of_amdahl(self):
        self.help_of("amdahl")

    def test_help_knows_every_command(self):
        listed = re.findall(r"(?m)^  ([a-z]+) +[A-Z]", run("help").out)
        self.assertEqual(listed, ["tour", "matmul", "roofline", "place", "machine", "devices",
                                  "amdahl", "compare"])

    def test_help_fits_into_80_columns(self):
        done = run("help")
        self.check(done, 0)
        self.assertEqual([line for line in done.out.split("\n") if len(line) > 80], [])


# Fake machines that cannot be read.

class Unreadable(Robust):
    def refused(self, path, *why, **how):
        done = run("matmul", "--device", "fake:" + path, **how)
        self.check(done, 2, path, *why)
        self.sentence(done)
        return done

    @only_root
    def test_a_file_that_may_not_be_read(self):
        self.refused(self.write("secret.json", "{}", mode=0o600), "Permission denied", nobody=True)

    def test_a_folder(self):
        self.refused(self.tmp, "this is a folder")

    def test_a_file_without_end(self):
        self.assertLess(self.refused("/dev/zero", "longer than").seconds, 10)

    def test_a_pipe_nobody_writes_into(self):
        os.mkfifo(self.path("silent"))
        self.refused(self.path("silent"), "nobody writes into", timeout=15)

    def test_a_pipe_somebody_writes_into_late(self):
        """As with --device fake:<(…), but the writer comes after the reader."""
        os.mkfifo(self.path("late"))
        process = start(["devices", "--json", "--device", "fake:" + self.path("late")])
        time.sleep(0.5)
        fake = json.loads(self.read(os.path.join(ROOT, "tests/fakes/quiet.json")))
        fake["recorded"] = os.path.join(ROOT, "data/machines/epyc-2core")
        with open(os.open(self.path("late"), os.O_RDWR), "wb", buffering=0) as pipe:
            pipe.write(json.dumps(fake)[:100].encode())
            time.sleep(0.3)
            pipe.write(json.dumps(fake)[100:].encode())
        out, err = process.communicate(timeout=TIMEOUT_S)
        self.assertEqual(process.returncode, 0, err)
        self.assertEqual(json.loads(out)["devices"][0]["name"], "Quiet fake")


class Quick(Robust):
    def test_it_starts_at_once(self):
        median = statistics.median(run("amdahl").seconds for _ in range(20))
        print(f"amdahl takes {1e3 * median:.1f} ms, the median of 20 runs", file=sys.stderr)
        self.assertLess(median, 0.2)  # 0.02 on a quiet machine


def main():
    global PROGRAM  # pylint: disable=global-statement
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--bin", default=os.path.join(ROOT, "build/release/bin/roofbeam"))
    options, rest = parser.parse_known_args()
    PROGRAM = os.path.abspath(options.bin)
    if not os.access(PROGRAM, os.X_OK):
        sys.exit(f"{PROGRAM} is not there; build it with ./dev build, or name one with --bin")
    unittest.main(argv=sys.argv[:1] + rest)


if __name__ == "__main__":
    main()
