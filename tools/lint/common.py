# SPDX-License-Identifier: Apache-2.0
"""What the lints share: which files there are, C++ without its comments, and how a fault is told.

A lint is a program `LINT [ROOT]`: it prints `file:line: what is wrong; what to do` and exits 1, or
exits 0 in silence. Exit 77 means that it could not run here, and says why.
"""
import os
import re
import subprocess
import sys

SKIPPED = 77


def files(root):
    """Paths from the root of all files git knows or would take; without git, of all but builds."""
    try:
        listed = subprocess.run(
            ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            capture_output=True, check=True).stdout.decode().split("\0")
        top = subprocess.run(["git", "-C", root, "rev-parse", "--show-cdup"],
                             capture_output=True, check=True).stdout.strip()
        if not top:  # the root is a checkout, not a folder inside another one
            return sorted({f for f in listed if f and os.path.isfile(os.path.join(root, f))})
    except (OSError, subprocess.CalledProcessError):
        pass
    found = []
    for folder, subfolders, names in os.walk(root):
        inside = os.path.relpath(folder, root)
        if inside == ".":
            subfolders[:] = [s for s in subfolders if s not in (".git", "build", "shared")]
        subfolders[:] = [s for s in subfolders if s != "__pycache__"]
        found += [os.path.normpath(os.path.join(inside, name)) for name in names]
    return sorted(found)


def cpp_files(root):
    return [f for f in files(root) if f.endswith((".cc", ".h"))]


def text(root, path):
    """The file's text, or None where it is not text."""
    try:
        with open(os.path.join(root, path), encoding="utf-8", newline="\n") as file:
            return file.read()
    except UnicodeDecodeError:
        return None


def script_kind(source):
    """'sh' or 'python' for a file that starts with #!, else None."""
    first = source.split("\n", 1)[0]
    if not first.startswith("#!"):
        return None
    if re.search(r"\b(ba|da)?sh\b", first):
        return "sh"
    return "python" if "python" in first else None


# Comments, raw strings, strings, characters: whichever starts first. The look-behind keeps the
# separators of 1'000 out.
_TOKENS = re.compile(
    r"""//(?:\\\n|[^\n])*
      | /\*.*?\*/
      | \b(?:u8|[uUL])?R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)"
      | "(?:\\.|[^"\\\n])*"
      | (?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'
    """, re.VERBOSE | re.DOTALL)


def code_only(source):
    """C++ with comments and the insides of strings blanked; every line keeps its number."""
    def blank(match):
        token = match.group(0)
        keep = "" if token.startswith("/") else '"'
        return keep + re.sub(r"[^\n]", " ", token) + keep
    return _TOKENS.sub(blank, source)


def blanked(source, strings=True):
    """C++ with comments blanked, and strings with them; every character keeps its place."""
    def blank(match):
        token = match.group(0)
        if not strings and not token.startswith("/"):
            return token
        return re.sub(r"[^\n]", " ", token)
    return _TOKENS.sub(blank, source)


def includes(source):
    """(line, written form) of every include, e.g. (3, '<vector>')."""
    live = code_only(source).split("\n")
    for number, line in enumerate(source.split("\n"), 1):
        match = re.match(r'\s*#\s*include\s*(<[^>]+>|"[^"]+")', line)
        if match and re.match(r"\s*#\s*include", live[number - 1]):
            yield number, match.group(1)


def read_rooms(root):
    """tools/rooms.txt as {room: [rooms it may include]}."""
    rooms = {}
    for line in (text(root, "tools/rooms.txt") or "").split("\n"):
        match = re.match(r"([a-z]+):(.*)$", line)
        if match:
            rooms[match.group(1)] = match.group(2).split()
    return rooms


def main(check):
    """Runs check(root), a generator of (path, line, sentence), and exits as a lint does."""
    root = sys.argv[1] if len(sys.argv) > 1 else "."
    faults = list(check(root))
    for path, line, sentence in faults:
        print(f"{path}:{line}: {sentence}")
    sys.exit(1 if faults else 0)
