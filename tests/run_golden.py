#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Whole-program tests: commands and everything they print, in tests/golden/NAME.txt and in
examples/NAME.txt.

    # a comment, before the command it speaks of
    $ VARIABLE=value roofbeam amdahl -p 0.95 -N 2,8
    what it prints on stdout
    [stderr]
    what it prints on stderr
    [exit 2]

A file may hold several commands. They run one after another from the top of the checkout, with one
fresh {tmp} folder as their home, in a clean environment. {fakes} stands for tests/fakes, {examples}
for examples, {tmp} for that folder; in what is printed {tmp}, {root} (the checkout) and {version}
stand for what they are. Without [stderr] nothing may be printed there, without [exit] it must be 0.

Empty lines at the end of a part are only there to be looked at. A printed line that looks like one
of ours ($ … # … [stderr] [exit …] \\ …) or is empty at the end is written with a \\ in front;
"\\ no newline" ends a text whose last line has no end.

With --json what is printed must also be valid by the docs/schema file that its "schema" names.
"""
import argparse
import difflib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLACES = {"fakes": "tests/fakes", "examples": "examples"}
OURS = re.compile(r"\$ |# |#$|\[stderr\]$|\[exit \d+\]$|\\")
NO_NEWLINE = "\\ no newline"
TIMEOUT_S = 120


class Case:
    """One command of a file and what is expected of it."""

    def __init__(self, head, command):
        self.head = head  # comment lines
        self.command = command  # the line after "$ "
        self.stdout, self.stderr, self.exit = [], [], 0

    def lines(self):
        """The case as the file holds it."""
        out = self.head + ["$ " + self.command] + self.stdout
        if self.stderr:
            out += ["[stderr]"] + self.stderr
        if self.exit:
            out.append(f"[exit {self.exit}]")
        return out


def encode(text):
    """A printed text as lines of a golden file."""
    if not text:
        return []
    lines = text.split("\n")
    complete = lines[-1] == ""
    if complete:
        lines.pop()
    lines = ["\\" + line if OURS.match(line) else line for line in lines]
    if lines[-1] == "":
        lines[-1] = "\\"
    return lines if complete else lines + [NO_NEWLINE]


def strip_end(lines):
    while lines and lines[-1] == "":
        lines.pop()


def parse(text, name):
    cases, comments, part = [], [], None
    for number, line in enumerate(text.split("\n"), 1):
        exit_code = re.fullmatch(r"\[exit (\d+)\]", line)
        if line.startswith("$ "):
            cases.append(Case(comments, line[2:]))
            comments, part = [], cases[-1].stdout
        elif re.match(r"#( |$)", line):
            comments.append(line)
        elif comments and line == "":
            comments.append(line)
        elif line == "[stderr]" and cases:
            part = cases[-1].stderr
        elif exit_code and cases:
            cases[-1].exit = int(exit_code.group(1))
        elif part is not None and not comments:
            part.append(line)
        elif line:
            sys.exit(f"{name}:{number}: neither a comment nor a command: {line}")
    for case in cases:
        strip_end(case.stdout)
        strip_end(case.stderr)
    if any(comments):
        sys.exit(f"{name}: a comment without a command after it: {comments[0]}")
    if not cases:
        sys.exit(f"{name}:1: no command; write one as: $ roofbeam …")
    return cases


def split_command(case, tmp):
    """(environment, arguments) of a case's line."""
    words = shlex.split(case.command)
    environment = {}
    while words and re.match(r"[A-Za-z_]\w*=", words[0]):
        name, _, value = words.pop(0).partition("=")
        environment[name] = value
    if not words or words[0] != "roofbeam":
        sys.exit(f"the command must be roofbeam: $ {case.command}")

    def fill(word):
        for name, place in {**PLACES, "tmp": tmp, "root": ROOT}.items():
            word = word.replace("{" + name + "}", place)
        return word

    return {name: fill(value) for name, value in environment.items()}, [fill(w) for w in words[1:]]


def run(program, environment, arguments, tmp):
    clean = {"PATH": "/usr/bin:/bin", "HOME": tmp, "XDG_STATE_HOME": os.path.join(tmp, "state"),
             "TMPDIR": tmp, "LANG": "C.UTF-8", "COLUMNS": "80"}
    return subprocess.run([program] + arguments, cwd=ROOT, env={**clean, **environment},
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=TIMEOUT_S, check=False)


def plain(printed, tmp, version):
    """Printed bytes as text in which what differs between machines has its name."""
    text = printed.decode("utf-8", "backslashreplace")
    text = text.replace(tmp, "{tmp}").replace(ROOT, "{root}")
    return re.sub(rf'("roofbeam": ?"|\broofbeam ){re.escape(version)}(?![\d.]*\d)', r"\1{version}",
                  text)


def schema_faults(text):
    """What is wrong with a printed JSON answer; None where it could not be validated."""
    try:
        document = json.loads(text)
    except ValueError as error:
        return [f"stdout is not JSON: {error}"]
    name = document.get("schema") if isinstance(document, dict) else None
    if not isinstance(name, str):
        return ['the JSON has no "schema"']
    path = os.path.join("docs/schema", name.replace("/", ".") + ".json")
    if not os.path.isfile(os.path.join(ROOT, path)):
        return [f"{path} is not there, and the answer says it is a {name}"]
    try:
        import jsonschema  # pylint: disable=import-outside-toplevel
    except ImportError:
        return None
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        schema = json.load(file)
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return [f"{path}: {'/'.join(map(str, error.absolute_path)) or 'the answer'}: {error.message}"
            for error in kind(schema).iter_errors(document)]


class Runner:
    def __init__(self, program, update):
        self.program, self.update = os.path.abspath(program), update
        with open(os.path.join(ROOT, "VERSION"), encoding="utf-8") as file:
            self.version = file.read().strip()
        self.unvalidated = 0
        self.changed = []

    def run_case(self, case, tmp):
        """(the case as it really went, faults of its JSON)."""
        environment, arguments = split_command(case, tmp)
        really = Case(case.head, case.command)
        done = run(self.program, environment, arguments, tmp)
        really.stdout = encode(plain(done.stdout, tmp, self.version))
        really.stderr = encode(plain(done.stderr, tmp, self.version))
        really.exit = done.returncode
        faults = []
        if "--json" in arguments and done.stdout:
            faults = schema_faults(done.stdout.decode("utf-8", "replace"))
            if faults is None:
                faults = []
                self.unvalidated += 1
        return really, faults

    def run_file(self, path):
        """True where everything went as the file says."""
        name = os.path.relpath(path, ROOT)
        with open(path, encoding="utf-8") as file:
            cases = parse(file.read(), name)
        expected, actual, faults = [], [], []
        with tempfile.TemporaryDirectory(prefix="roofbeam-") as tmp:
            for case in cases:
                try:
                    really, wrong = self.run_case(case, tmp)
                except subprocess.TimeoutExpired:
                    really, wrong = case, [f"not done after {TIMEOUT_S} s"]
                expected += case.lines() + [""]
                actual += really.lines() + [""]
                faults += [f"{name}: $ {case.command}: {sentence}" for sentence in wrong]
        if self.update and actual != expected:
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(actual[:-1]) + "\n")
            self.changed.append(name)
        elif actual != expected:
            faults += difflib.unified_diff(expected, actual, f"{name} (expected)",
                                           f"{name} (printed)", lineterm="")
        for fault in faults:
            print(fault)
        return not faults


def chosen(names):
    """The files of tests/golden, and those of examples/, which --help shows."""
    known = {}
    for folder in ("examples", "tests/golden"):
        for file in sorted(os.listdir(os.path.join(ROOT, folder))):
            if file.endswith(".txt"):
                name = file[:-4] if folder == "tests/golden" else f"{folder}/{file[:-4]}"
                known[name] = os.path.join(ROOT, folder, file)
    unknown = [name for name in names if name not in known]
    if unknown or not known:
        sys.exit(f"no such case: {' '.join(unknown)}; there are: {' '.join(known)}")
    return [known[name] for name in names or known]


def main():
    parser = argparse.ArgumentParser(description="Runs the cases of tests/golden.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="cases, all where none is named")
    parser.add_argument("--bin", default=os.path.join(ROOT, "build/release/bin/roofbeam"),
                        help="the program to test")
    parser.add_argument("--update", action="store_true", help="write what is printed to the files")
    options = parser.parse_args()
    if not os.access(options.bin, os.X_OK):
        sys.exit(f"{options.bin} is not there; build it with ./dev build, or name one with --bin")
    runner = Runner(options.bin, options.update)
    results = [runner.run_file(path) for path in chosen(options.names)]
    for name in runner.changed:
        print(f"updated {name}")
    if runner.unvalidated:
        print(f"note: {runner.unvalidated} JSON answers were not validated: "
              "python3-jsonschema is not here")
    print(f"{results.count(True)} passed, {results.count(False)} failed")
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
