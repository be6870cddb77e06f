# SPDX-License-Identifier: Apache-2.0
"""Our ceilings against likwid-bench's kernels, at the same sizes on the same cores."""
import re
import shutil
import subprocess


class Missing(Exception):
    """A peer that is not installed: the check is skipped, and says why."""


# What likwid-bench calls it; it moves or computes the same per element as our kernel does.
FAMILIES = {
    "fma_f64": ("peakflops", ("_avx512_fma", "_avx_fma"), "MFlops"),
    "fma_f32": ("peakflops_sp", ("_avx512_fma", "_avx_fma"), "MFlops"),
    "read": ("load", ("_avx512", "_avx", "_sse"), "MByte"),
    "copy_nt": ("copy_mem", ("_avx512", "_avx", "_sse"), "MByte"),
    "write_nt": ("store_mem", ("_avx512", "_avx", "_sse"), "MByte"),
}
SECONDS = 1  # the least likwid-bench runs


class Likwid:
    """One kernel of likwid-bench: the fastest of its family on this machine, tried once each."""

    def __init__(self, family, kib, threads):
        if shutil.which("likwid-bench") is None:
            raise Missing("likwid-bench is not installed (Debian's package likwid)")
        self.size, self.threads = f"{kib}kB", threads
        stem, endings, self.unit = FAMILIES[family]
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            flags = file.read().split("flags", 1)[1].split("\n", 1)[0].split()
        usable = [e for e in endings if "avx512" not in e or "avx512f" in flags]
        usable = [e for e in usable if "avx" not in e or "avx2" in flags]
        rates = {stem + ending: self.run(stem + ending) for ending in usable}
        self.kernel = max(rates, key=rates.get)

    def run(self, kernel):
        command = ["likwid-bench", "-t", kernel, "-w", f"S0:{self.size}:{self.threads}",
                   "-s", str(SECONDS)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return 1e6 * float(re.search(rf"{self.unit}s?/s:\s+([\d.]+)", done.stdout).group(1))

    def rate(self):
        return self.run(self.kernel)


def kib_of(memory, caches, workers):
    """KiB of all arrays together, as roofbeam itself sizes them (docs/methods/bandwidth.md)."""
    sizes = {c["level"]: c["size_bytes"] for c in caches}
    shared = {c["level"]: c["instances"] < workers for c in caches}
    if memory == "dram":
        return int(max(4 * max(sizes.values()), 512 << 20) / 1024)
    level = int(memory[1])
    if shared[level]:
        return int(sizes[level] / 3 / 1024)
    return int(sizes[level] / 2 * workers / 1024)


# (our ceiling, likwid's family, memory, what ours ÷ theirs must reach in the middle)
CLAIMS = [
    ("compute.f64.fma.all", "fma_f64", "l1", 0.97),
    ("compute.f32.fma.all", "fma_f32", "l1", 0.97),
    ("bandwidth.l1.read.all", "read", "l1", 0.97),
    ("bandwidth.l2.read.all", "read", "l2", 1.3),
    ("bandwidth.l3.read.all", "read", "l3", 0.97),
    ("bandwidth.dram.read.all", "read", "dram", 0.97),
    ("bandwidth.dram.copy_nt.all", "copy_nt", "dram", 0.97),
    ("bandwidth.dram.write_nt.all", "write_nt", "dram", 0.97),
]
