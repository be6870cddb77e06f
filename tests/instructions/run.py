#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How much starting and parsing cost, in instructions: those repeat, times do not.

    tests/instructions/run.py [--bin PATH] [--update]

Runs fixed commands under valgrind in a fixed environment and compares the counts with
expected.json, which has a column for each toolchain: another compiler or C library counts
differently, and one that has none yet is skipped. A count may be off by 2 %, in both directions:
what became cheaper is written down too, or it could become dearer again unnoticed. --update
writes the counts of this toolchain.
Exit 77: nothing to compare with here, and it says why.
"""
import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXPECTED = os.path.join(ROOT, "tests/instructions/expected.json")
TOLERANCE = 0.02
TIMEOUT_S = 120
SKIPPED = 77
COMMANDS = (
    "--version",
    "amdahl",
    "amdahl --json",
    "devices --device fake:examples/two_core.json --json",
    "matmul --device fake:tests/fakes/quiet.json --profile tests/profiles/low_dram.json --json",
)
# Valgrind shows the program this CPU's features, and the C library picks its functions by them.
# These it is told not to use, so that machines with and without them count alike.
HIDDEN = ("AVX2", "AVX", "AVX_Fast_Unaligned_Load", "ERMS", "FSRM", "BMI1", "BMI2", "LZCNT",
          "MOVBE", "POPCNT", "SSE4_2", "SSE4_1", "SSSE3", "FMA", "FMA4", "RTM")


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def toolchain(program):
    """(architecture, compiler and C library) by which the counts are kept."""
    with open(program, "rb") as file:
        content = file.read()
    for mark, what in ((b"__asan_init", "AddressSanitizer"), (b"__tsan_init", "ThreadSanitizer"),
                       (b"__gcov_", "coverage"), (b"clang version", "clang")):
        if mark in content:
            skip(f"this program is built with {what}; the counts are those of a release by g++")
    compiler = re.search(rb"GCC: \([^)]*\) ([\d.]+)", content)
    if compiler is None:
        skip("the program does not say which g++ built it")
    library = os.confstr("CS_GNU_LIBC_VERSION") or "another C library"
    return f"{platform.machine()}, g++ {compiler.group(1).decode()}, {library}"


def fixed_layout():
    """The words before a command that keep addresses from being drawn, where that is allowed."""
    words = ["setarch", platform.machine(), "-R"]
    try:
        subprocess.run(words + ["true"], check=True, stderr=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        return []
    return words


def count(program, command, before):
    """The instructions a command takes from its first to its last."""
    environment = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/nonexistent",
                   "COLUMNS": "80",
                   "GLIBC_TUNABLES": "glibc.cpu.hwcaps=" + ",".join(f"-{f}" for f in HIDDEN)}
    done = subprocess.run(
        before + ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program]
        + command.split(), cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT_S, check=False)
    said = done.stderr.decode("utf-8", "replace")
    found = re.search(r"Collected : (\d+)", said)
    if done.returncode != 0 or found is None:
        sys.exit(f"{command}: exit {done.returncode} under valgrind\n{said}")
    return int(found.group(1))


def judge(command, now, wanted):
    """Prints the row; True where it is near enough."""
    off = now / wanted - 1
    near = abs(off) <= TOLERANCE
    print(f"{'ok    ' if near else 'FAILED'} {now:>12,} {off:+7.2%}  {command}")
    return near


def load():
    try:
        with open(EXPECTED, encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return {}


def main():
    parser = argparse.ArgumentParser(description="Counts the instructions of fixed commands.")
    parser.add_argument("--bin", default=os.path.join(ROOT, "build/test/bin/roofbeam"),
                        help="the program, built by g++ with the preset test")
    parser.add_argument("--update", action="store_true", help="write the counts of this toolchain")
    options = parser.parse_args()
    if not os.access(options.bin, os.X_OK):
        sys.exit(f"{options.bin} is not there; build it with ./dev test -N")
    if shutil.which("valgrind") is None:
        skip("valgrind is not here")
    key = toolchain(options.bin)
    before = fixed_layout()
    # The path is part of what the program is given: a name of the same length everywhere.
    with tempfile.TemporaryDirectory(prefix="roofbeam-") as folder:
        program = os.path.join(folder, "roofbeam")
        shutil.copy(options.bin, program)
        counts = {command: count(program, command, before) for command in COMMANDS}
    expected = load()
    print(key)
    if options.update:
        expected[key] = counts
        with open(EXPECTED, "w", encoding="utf-8") as file:
            file.write(json.dumps(expected, indent=2, sort_keys=True) + "\n")
        for command, now in counts.items():
            print(f"wrote  {now:>12,}  {command}")
        return
    if key not in expected:
        for command, now in counts.items():
            print(f"       {now:>12,}  {command}")
        skip("expected.json has no counts of this toolchain; --update writes them")
    wanted = expected[key]
    if set(wanted) != set(counts):
        sys.exit("expected.json counts other commands; write them with --update")
    near = [judge(command, counts[command], wanted[command]) for command in COMMANDS]
    if not all(near):
        sys.exit(f"more than {TOLERANCE:.0%} off. Look why (callgrind_annotate); if it is meant to "
                 "be: tests/instructions/run.py --update")


if __name__ == "__main__":
    main()
