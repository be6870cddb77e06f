#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the machine code of the probes (isa_*.cc.o below a build folder) and says where a loop does
not consist of what its ceiling counts: an accumulator that leaves its register, a copy, a call.
    tests/registers/check.py BUILD_FOLDER
Exit 77: it cannot tell here, and it says why."""
import collections
import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED = 77
LINE = 64  # bytes; loops take whole lines of each array, several at a time

# One for f32, one for f64; and a single chain.
ARITHMETIC = {"fma_block": 3, "add_block": 2, "any_block": 2}
PLAIN = {"read_block": 1, "write_block": 1, "copy_block": 1, "triad_block": 1, "vadd_block": 1,
         "vscale_block": 1, "vdot_block": 1}
PAST = {"write_block": 2, "copy_block": 2, "triad_block": 2}  # beside the plain ones
GEMV, GEMVS = {"gemv_block": 1}, {"gemv_block": 3}  # the latter: f32, bf16, int8
DOT, FMA = {"dot_block": 1, **GEMV}, {"fma_block": 1}
GENERIC = {**ARITHMETIC, "any_block": 0, **PLAIN, **GEMVS}  # its `any` is its `fma`
TILES = ("gemv_block", "tile_block", "row_block")  # compilers put the latter into the former

# isa: (register, the blocks that must be there)
ISAS = {
    "elf64-x86-64": {
        "generic": ("xmm", GENERIC),
        "sse2": ("xmm", {name: 1 for name in PAST}),
        "avx2": ("ymm", {**ARITHMETIC, **PLAIN, **PAST, **GEMVS}),
        "avxvnni": ("ymm", DOT),
        "avx512": ("zmm", {**ARITHMETIC, **PLAIN, **PAST, **GEMV}),
        "avx512bf16": ("zmm", DOT),
        "avx512vnni": ("zmm", DOT),
        "avx512fp16": ("zmm", FMA),
    },
    "elf64-littleaarch64": {
        "generic": ("v", GENERIC),
        "neon": ("v", {**ARITHMETIC, **PLAIN, **PAST, **GEMV}),
        "neonfp16": ("v", FMA),
        "neondot": ("v", DOT),
        "neonbf16": ("v", DOT),
    },
}
BYTES = {"xmm": 16, "ymm": 32, "zmm": 64, "q": 16}

MULTIPLY_ADD = re.compile(r"vfmadd\d+p[sdh]|fmla")
MULTIPLY = re.compile(r"mulp[sd]|fmul")  # of the pair that stands for a multiply-add
ADD = re.compile(r"v?addp[sd]|fadd")
WIDER = re.compile(r"vpmaddubsw|v?pmullw|mul")  # where bytes have no instruction of their own
DOT_PRODUCT = re.compile(r"vdpbf16ps|(\{vex\} )?vpdpbusd|sdot|bfdot")

Instruction = collections.namedtuple("Instruction", "address name operands target")
Block = collections.namedtuple("Block", "name arguments code")


def disassembly(path):
    """(file format, blocks) of an object."""
    for tool in ("objdump", "aarch64-linux-gnu-objdump"):
        if shutil.which(tool) is None:
            continue
        done = subprocess.run([tool, "-dC", "--no-show-raw-insn", path], text=True, check=False,
                              capture_output=True)
        if done.returncode == 0:
            return re.search(r"file format (\S+)", done.stdout).group(1), blocks(done.stdout)
    print(f"skipped: no objdump that reads {path}")
    sys.exit(SKIPPED)


def blocks(text):
    found = []
    for line in text.split("\n"):
        head = re.match(r"[0-9a-f]+ <(.*)>:$", line)
        if head:
            name = re.search(r"::(\w+_block)<(.*?)>\(", head.group(1))
            found.append(Block(name and name.group(1), name and name.group(2), []))
        row = re.match(r"\s+([0-9a-f]+):\s+((?:\{vex\} )?[a-z]\S*)\s*(.*)", line)
        if row and found:
            target = re.search(r"\b([0-9a-f]+) <", row.group(3))
            found[-1].code.append(Instruction(
                int(row.group(1), 16), row.group(2),
                re.split(r"\s{2,}#|\s*//|<", row.group(3))[0].strip(),
                int(target.group(1), 16) if target else None))
    return [block for block in found if block.name]


def innermost_loops(code):
    """The instructions of each, from the target of a backward branch to that branch."""
    addresses = [i.address for i in code]
    branches = [(at, i) for at, i in enumerate(code) if re.match(r"j(?!mp)|b\.|cb|tb", i.name)]
    spans = [(addresses.index(i.target), at) for at, i in branches
             if i.target in addresses and i.target <= i.address]
    return [code[first:last + 1] for first, last in spans
            if not any(first <= f and l <= last and (f, l) != (first, last) for f, l in spans)]


def memory(instruction):
    """'', 'load' or 'store'."""
    name, operands = instruction.name, instruction.operands
    if "[" in operands:  # aarch64
        return "store" if name.startswith("st") else "load"
    if "(" not in operands or name.startswith(("nop", "lea")):
        return ""
    written = operands.endswith(")") and not name.startswith(("cmp", "test", "prefetch"))
    return "store" if written else "load"


def moved(loop, kind, register):
    """How many bytes vector registers load or store, and with which instructions."""
    total, names = 0, set()
    for i in loop:
        if memory(i) != kind:
            continue
        if "[" in i.operands:
            total += 16 * len(re.findall(r"\bq\d+|\bv\d+\.", i.operands.split("[")[0]))
        elif f"%{register}" in i.operands:
            total += BYTES[register]
        names.add(i.name)
    return total, names


def count(loop, pattern, register):
    mark = r"\bv\d+\." if register == "v" else f"%{register}"
    return sum(1 for i in loop if pattern.fullmatch(i.name) and re.search(mark, i.operands))


def numbers(block):
    return [int(n) for n in re.findall(r", (\d+)", block.arguments)]


def wanted(block, isa):
    """{what: (pattern, how many in a step)}."""
    multiply_add = ({"multiply": MULTIPLY, "add": ADD} if isa == "generic"
                    else {"multiply-add": MULTIPLY_ADD})
    first = (numbers(block) or [24])[0]
    if block.name == "fma_block":
        return {what: (pattern, 2 * first) for what, pattern in multiply_add.items()}
    if block.name == "add_block":
        return {"add": (ADD, 2 * first)}
    if block.name == "dot_block":
        return {"dot product": (DOT_PRODUCT, 2 * first)}
    # any_block<V, kPairs>; that of avx2 has kHalfStep
    return {"multiply-add": (MULTIPLY_ADD, 2 * first), "add": (ADD, 2 * first)}


def chain_faults(block, isa, register, loop):
    wants = wanted(block, isa)
    times = set()
    arithmetic = 0
    for what, (pattern, step) in wants.items():
        found = count(loop, pattern, register)
        arithmetic += found
        times.add(found / step)
        if found == 0 or found % step != 0:
            yield f"{found} of {what} in the loop, {step} in a step"
    if len(times) > 1:
        yield "not as many of one kind as of the other"
    reloads = isa == "avx2" and block.name == "any_block"
    for i in loop:
        kind = memory(i)
        if kind == "store" or (kind and (not reloads or re.search(r"%r[sb]p|\bsp\b", i.operands))):
            yield f"a {kind} in the loop: {i.name} {i.operands}"
    others = [i for i in loop if re.search(r"%[xyz]mm|\b[vq]\d+\b", i.operands) and not memory(i)
              and not any(p.fullmatch(i.name) for p, _ in wants.values())]
    if others:
        yield f"registers copied in the loop: {others[0].name} {others[0].operands}"
    if len(loop) > 1.25 * arithmetic + 4:
        yield f"{len(loop)} instructions for {arithmetic}"


def stream_faults(block, register, loop):
    arrays = {"read_block": (1, 0), "write_block": (0, 1), "copy_block": (1, 1),
              "triad_block": (2, 1), "vadd_block": (2, 1), "vscale_block": (1, 1),
              "vdot_block": (2, 0)}[block.name]
    loaded, _ = moved(loop, "load", register)
    stored, names = moved(loop, "store", register)
    lines = (loaded + stored) // (LINE * sum(arrays))
    if lines < 2 or (loaded, stored) != (lines * LINE * arrays[0], lines * LINE * arrays[1]):
        yield f"{loaded} bytes loaded and {stored} stored"
    past = "true" in block.arguments
    for name in names:
        if past != bool(re.match(r"v?movnt|stnp", name)):
            yield f"stores with {name}"
    for i in loop:
        if memory(i) and re.search(r"%r[sb]p|\bsp\b", i.operands):
            yield f"the stack in the loop: {i.name} {i.operands}"


def tile_faults(block, register, loops):
    """Of the loops along rows, which are all that has no branch inside: the sums stay in registers
    until they end."""
    arithmetic = (MULTIPLY, MULTIPLY_ADD, DOT_PRODUCT, WIDER)
    along = [loop for loop in loops if not any(i.target for i in loop[:-1])
             and any(count(loop, pattern, register) for pattern in arithmetic)]
    if not along and block.name == "gemv_block":
        yield "no loop along rows"
    for i in (i for loop in along for i in loop):
        vector = re.search(r"%[xyz]mm|\b[vq]\d+\b", i.operands)
        if vector and memory(i) and re.search(r"\(%r[sb]p\)|\bsp\b", i.operands):
            yield f"the stack in the loop: {i.name} {i.operands}"


def check_block(block, isa, register):
    loops = innermost_loops(block.code)
    if not loops:
        yield "no loop"
    if block.name in TILES:
        yield from tile_faults(block, register, loops)
        return
    for loop in loops:
        for i in loop:
            if re.match(r"call|bl$|blr$", i.name):
                yield f"a call in the loop: {i.name} {i.operands}"
        if block.name in ("fma_block", "add_block", "any_block", "dot_block"):
            yield from chain_faults(block, isa, register, loop)
        else:
            yield from stream_faults(block, register, loop)


def check_object(path):
    """(what is wrong, in which block); and how many blocks were read."""
    isa = re.match(r"isa_(\w+)\.cc", path.name).group(1)
    architecture, found = disassembly(path)
    register, must = ISAS.get(architecture, {}).get(isa, ("", {}))
    faults = []
    names = collections.Counter(block.name for block in found if block.name not in TILES[1:])
    need = collections.Counter({name: n for name, n in must.items() if n})
    if names != need:
        faults.append(f"has {dict(names)}, not {dict(need)}")
    for block in found if register else []:
        faults += [f"{block.name}<{block.arguments}>: {fault}"
                   for fault in check_block(block, isa, register)]
    return faults, len(found)


def main():
    objects = sorted(path for path in pathlib.Path(sys.argv[1]).rglob("isa_*.cc.o")
                     if path.name != "isa_test.cc.o")
    failures, read = 0, 0
    for path in objects:
        faults, found = check_object(path)
        read += found
        for fault in faults:
            failures += 1
            print(f"FAILED: {path}: {fault.replace('roofbeam::(anonymous namespace)::', '')}")
    print(f"{read} blocks in {len(objects)} objects, {failures} faults")
    sys.exit(0 if read and not failures else 1)


main()
