#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Speed claims against peers: paired, interleaved in one run, as ratios with their interval.

`./dev bench` runs every check, `./dev bench --check NAME` one. A check passes where the 95 %
interval of ours ÷ theirs reaches 1.00 and its middle is at least 0.97. Every run is kept in
bench/results.
"""
import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import peers
import work
from peers import Missing

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
RESULTS = os.path.join(HERE, "results")
# Two-sided 95 % quantiles of Student's t for 1 … 19 degrees of freedom.
T95 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
       2.145, 2.131, 2.120, 2.110, 2.101, 2.093]


def paired(pairs):
    """The geometric mean of ours ÷ theirs and its 95 % interval over the pairs."""
    logs = [math.log(ours / theirs) for ours, theirs in pairs]
    middle = statistics.mean(logs)
    reach = T95[len(logs) - 2] * statistics.stdev(logs) / math.sqrt(len(logs))
    return math.exp(middle), math.exp(middle - reach), math.exp(middle + reach)


def not_slower(pairs):
    middle, low, high = paired(pairs)
    return {"ratio": middle, "low": low, "high": high, "pairs": len(pairs),
            "passed": high >= 1.0 and middle >= 0.97}


def roofbeam(program, state, *arguments):
    env = dict(os.environ, XDG_STATE_HOME=state)
    done = subprocess.run([program, *arguments, "--json", "-q"], env=env, check=True,
                          stdout=subprocess.PIPE)
    return json.loads(done.stdout)


class Torch:
    """A waiting python3-torch that multiplies when asked and answers its median time."""

    SOURCE = """
import sys, time, torch
n = int(sys.argv[1])
torch.set_num_threads(int(sys.argv[2]))  # else it may take one, whatever the machine has
a = torch.randn(n, n).to(torch.bfloat16)
b = torch.randn(n, n).to(torch.bfloat16)
c = torch.empty(n, n, dtype=torch.bfloat16)
print(torch.__version__, torch.get_num_threads(), flush=True)
for line in sys.stdin:
    torch.mm(a, b, out=c)
    times = []
    for _ in range(int(line)):
        start = time.perf_counter()
        torch.mm(a, b, out=c)
        times.append(time.perf_counter() - start)
    times.sort()
    print(times[len(times) // 2], flush=True)
"""

    def __init__(self, n, threads):
        probe = subprocess.run(["/usr/bin/python3", "-c", "import torch"], capture_output=True,
                               check=False)
        if probe.returncode != 0:
            raise Missing("python3-torch is not installed (Debian's package of that name)")
        command = ["/usr/bin/python3", "-c", self.SOURCE, str(n), str(threads)]
        self.process = subprocess.Popen(command, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.about = self.process.stdout.readline().strip()

    def median_time(self, repeats):
        self.process.stdin.write(f"{repeats}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def check_torch_bf16(program, state):
    """bf16, n = 4096, random operands, all cores: rates of our oneDNN worker and of torch.mm."""
    n, rounds = 4096, 10
    roofbeam(program, state, "matmul", "-n", "256", "--dtype", "bf16")  # ceilings, once
    torch = Torch(n, len(os.sched_getaffinity(0)))

    def ours():
        answer = roofbeam(program, state, "matmul", "-n", str(n), "--dtype", "bf16",
                          "--library", "onednn", "--reps", "1")
        return 1 / answer["points"][0]["time_s"]["value"]

    pairs = interleaved(rounds, ours, lambda: 1 / torch.median_time(5))
    about = torch.about
    torch.close()
    return dict(not_slower(pairs), peer=f"torch {about}")


def check_startup(program, state):
    """Wall time of `roofbeam amdahl`, from start to end, in milliseconds."""
    del state
    times = []
    for _ in range(100):
        start = time.perf_counter()
        subprocess.run([program, "amdahl"], check=True, stdout=subprocess.DEVNULL)
        times.append(1e3 * (time.perf_counter() - start))
    times.sort()
    return {"median_ms": statistics.median(times), "p95_ms": times[94], "limit_ms": 20,
            "passed": statistics.median(times) <= 20}


def interleaved(rounds, ours, theirs):
    """Pairs of (ours(), theirs()); which goes first alternates, so that drift favours neither."""
    pairs = []
    for i in range(rounds):
        if i % 2 == 0:
            mine = ours()
            pairs.append((mine, theirs()))
        else:
            other = theirs()
            pairs.append((ours(), other))
    return pairs


def ceiling(program, state, name):
    """What `machine` measures for one ceiling, and nothing else."""
    answer = roofbeam(program, state, "machine", "--only", name)
    return answer["devices"][0]["ceilings"][name]["value"]


def check_peers(program, state):
    """Ceilings against likwid-bench's best kernel of each kind, same sizes and cores; and `any`."""
    rounds = 8
    device = roofbeam(program, state, "devices", "--device", "cpu")["devices"][0]
    workers = device["cores_usable"]
    rows, passed = [], True
    for name, family, memory, least in peers.CLAIMS:
        peer = peers.Likwid(family, peers.kib_of(memory, device["caches"], workers), workers)
        found = not_slower(interleaved(rounds, lambda name=name: ceiling(program, state, name),
                                       peer.rate))
        found["passed"] = found["high"] >= max(1.0, least) and found["ratio"] >= least
        rows.append(dict(found, name=name, peer=f"likwid-bench {peer.kernel} {peer.size}"))
        print(f"  {name}: {found['ratio']:.3f} [{found['low']:.3f}, {found['high']:.3f}] of "
              f"{rows[-1]['peer']}", flush=True)
        passed &= found["passed"]
    found = not_slower(interleaved(
        rounds, lambda: ceiling(program, state, "compute.f32.any.core"),
        lambda: ceiling(program, state, "compute.f32.fma.core")))
    rows.append(dict(found, name="compute.f32.any.core", peer="compute.f32.fma.core"))
    print(f"  any / fma: {found['ratio']:.3f} [{found['low']:.3f}, {found['high']:.3f}]")
    return {"rows": rows, "passed": passed}


CHECKS = {"peers": check_peers, "torch-bf16": check_torch_bf16, "startup": check_startup,
          "predictions": work.predictions, "alarms": work.alarms, "tour": work.tour}


def keep(record):
    os.makedirs(RESULTS, exist_ok=True)
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    path = os.path.join(RESULTS, f"{stamp}-{record['check']}.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps(record, indent=2) + "\n")
    return os.path.relpath(path, ROOT)


def cpu_name():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def commit():
    done = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True,
                          text=True, check=False)
    return done.stdout.strip() or "unknown"


def main():
    parser = argparse.ArgumentParser(description="Runs the speed checks.")
    parser.add_argument("--check", choices=sorted(CHECKS), action="append")
    parser.add_argument("--bin", default=os.path.join(ROOT, "build/release/bin/roofbeam"))
    options = parser.parse_args()
    failed = False
    for name in options.check or sorted(CHECKS):
        print(f"{name}: {CHECKS[name].__doc__}", flush=True)
        with tempfile.TemporaryDirectory() as state:
            try:
                found = CHECKS[name](options.bin, state)
            except Missing as why:
                print(f"  skipped: {why}")
                continue
        record = {"check": name, "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                  "commit": commit(), "cpu": cpu_name(), "cores": os.cpu_count(),
                  "load_before": os.getloadavg()[0], **found}
        print(f"  {json.dumps(found)}")
        print(f"  kept in {keep(record)}", flush=True)
        failed |= not found["passed"]
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
