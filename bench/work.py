# SPDX-License-Identifier: Apache-2.0
"""Whether predictions hold, promises stay and the tour is short: on the machine it runs on."""
import json
import os
import subprocess
import time


def run(program, state, *arguments):
    """The answer of a command; its exit code may say that the answer is not to be trusted."""
    env = dict(os.environ, XDG_STATE_HOME=state)
    done = subprocess.run([program, *arguments, "--json", "-q"], env=env, check=False,
                          stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def label(point):
    return f"{point['name']} {point['dtype']} {point['memory']}".strip()


def predictions(program, state, rounds=3):
    """The kernel table `rounds` times: the middle error, the share inside intervals, the worst."""
    rows, passed = [], True
    for _ in range(rounds):
        answer = run(program, state, "roofline")
        found = answer["predictions"]
        compared = [p for p in answer["points"] if p["error_ratio"] is not None
                    and not p["repeat"] and "disturbed" not in p]
        outside = [f"{label(p)} {p['error_ratio']:+.2f}" for p in compared
                   if not (p["predicted_s"]["low"] <= p["time_s"]["value"]
                           <= p["predicted_s"]["high"])]
        alarms = [label(p) for p in answer["points"] if p["verdict"]["standing"] == "invalid"]
        share = found["covered"] / found["compared"]
        rows.append({"compared": found["compared"], "repeats": found["repeats"],
                     "median_error": found["median_error_ratio"], "covered": share,
                     "outside": outside, "worst": found["worst"],
                     "worst_error": found["worst_error_ratio"], "above_ceiling": alarms,
                     "disturbed": found["disturbed"],
                     "errors": {label(p): round(p["error_ratio"], 3) for p in compared}})
        passed &= found["median_error_ratio"] <= 0.08 and share >= 0.9 and not alarms
        print(f"  middle {found['median_error_ratio']:.3f}, inside {share:.2f} of "
              f"{found['compared']}, disturbed {found['disturbed']}, outside {outside}, "
              f"above {alarms}", flush=True)
    return {"rows": rows, "passed": passed}


def alarms(program, state, rounds=20):
    """The tour `rounds` times: points above a ceiling, of which there are to be none."""
    above, points = [], 0
    for _ in range(rounds):
        answer = run(program, state, "tour")
        points += len(answer["points"])
        above += [label(p) for p in answer["points"] if p["verdict"]["standing"] == "invalid"]
    return {"rounds": rounds, "points": points, "above_ceiling": above, "passed": not above}


def first_line(program, env):
    """Seconds to the first line on stderr, and to the end."""
    start = time.perf_counter()
    with subprocess.Popen([program], env=env, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE) as process:
        process.stderr.readline()
        first = time.perf_counter() - start
        process.stderr.read()
    return first, time.perf_counter() - start


def tour(program, state):
    """Seconds of the tour without a profile and with a fresh one, and to its first line."""
    env = dict(os.environ, XDG_STATE_HOME=state)
    first_cold, cold = first_line(program, env)
    first_warm, warm = first_line(program, env)
    return {"without_profile_s": cold, "with_profile_s": warm,
            "first_line_s": max(first_cold, first_warm),
            "passed": cold <= 15 and warm <= 5 and max(first_cold, first_warm) <= 0.3}
