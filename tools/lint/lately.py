# SPDX-License-Identifier: Apache-2.0
"""What the lints that compile share: which files changed lately, and how to run the compiler on
many files at once without asking twice about a file that passed.

A pass is remembered in build/lint-cache as an empty file, by the hash of all the answer depends on:
the tool, its options, the file and every file of ours that it includes. Faults are not remembered.
"""
import concurrent.futures
import functools
import hashlib
import os
import re
import shutil
import subprocess
import time

import common

COMMITS = 10
DAYS = 30  # a pass that nobody asked for in so many days is forgotten


def _git(root, *arguments):
    if shutil.which("git") is None:
        return None
    done = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True,
                          check=False)
    return [line for line in done.stdout.split("\n") if line] if done.returncode == 0 else None


def changed(root, *patterns):
    """Paths that match, last changed first: what is not committed, then the last ten commits that
    touched such files. None where this is no checkout of its own."""
    if _git(root, "rev-parse", "--show-cdup") != []:
        return None
    now = (_git(root, "diff", "--name-only", "HEAD", "--", *patterns) or []) + (
        _git(root, "ls-files", "--others", "--exclude-standard", "--", *patterns) or [])
    then = _git(root, "log", f"-{COMMITS}", "--name-only", "--format=", "--", *patterns) or []
    return list(dict.fromkeys(now + then))


class Includes:
    """Which of our own files a file includes, whatever conditions stand around it."""

    def __init__(self, root):
        self._root = root

    @functools.lru_cache(maxsize=None)
    def _direct(self, path):
        beside = os.path.dirname(path)
        found = []
        for _, written in common.includes(common.text(self._root, path) or ""):
            for guess in (written[1:-1], os.path.normpath(os.path.join(beside, written[1:-1]))):
                if os.path.isfile(os.path.join(self._root, guess)):
                    found.append(guess)
                    break
        return found

    @functools.lru_cache(maxsize=None)
    def closure(self, path):
        """The file, and all it includes directly or not."""
        seen, ahead = set(), [path]
        while ahead:
            one = ahead.pop()
            if one not in seen:
                seen.add(one)
                ahead += self._direct(one)
        return sorted(seen)

    def digest(self, path):
        whole = hashlib.sha256()
        for one in self.closure(path):
            with open(os.path.join(self._root, one), "rb") as file:
                whole.update(f"{one}\0".encode() + hashlib.sha256(file.read()).digest())
        return whole.hexdigest()


def tool_identity(tool):
    """The tool's version; and when packages last changed, for the headers that are not ours."""
    version = subprocess.run([tool, "--version"], capture_output=True, text=True,
                             check=False).stdout
    status = "/var/lib/dpkg/status"
    return f"{version} {os.stat(status).st_mtime if os.path.exists(status) else ''}"


class Passed:
    """The passes of one lint that are remembered."""

    def __init__(self, root, lint):
        self._folder = os.path.join(root, "build/lint-cache", lint)
        os.makedirs(self._folder, exist_ok=True)
        for name in os.listdir(self._folder):
            file = os.path.join(self._folder, name)
            if os.path.getmtime(file) < time.time() - DAYS * 86400:
                os.remove(file)

    def _file(self, *key):
        return os.path.join(self._folder, hashlib.sha256("\0".join(key).encode()).hexdigest())

    def __contains__(self, key):
        try:
            os.utime(self._file(*key))
            return True
        except FileNotFoundError:
            return False

    def add(self, key):
        with open(self._file(*key), "w", encoding="utf-8"):
            pass


def run_all(jobs, passed):
    """Runs the jobs (key, command, standard input), as many at once as there are cores; remembers
    those that passed. Gives the output of each that did not."""
    def one(job):
        key, command, given = job
        done = subprocess.run(command, input=given, text=True, errors="replace", check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode == 0:
            passed.add(key)
            return None
        return done.stdout
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return [said for said in pool.map(one, jobs) if said is not None]


_PLACE = re.compile(r"(?m)^(?P<path>[^\s:]+):(?P<line>\d+):\d+: (?:fatal )?error: (?P<what>.*)$")


def errors(root, said):
    """(path from the root, line, message) of every error a compiler told."""
    for match in _PLACE.finditer(said):
        path = os.path.relpath(os.path.join(os.path.realpath(root), match.group("path")),
                               os.path.realpath(root))
        yield path, int(match.group("line")), match.group("what")
