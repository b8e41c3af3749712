#!/usr/bin/env python3
"""Merges branch `side` of a graph into main once; prints time, bytes by class and peak memory as JSON."""
import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import inarch  # noqa: E402


def status(key):
    with open("/proc/self/status") as f:
        for line in f:
            if line.startswith(key + ":"):
                return int(line.split()[1]) * 1024
    return 0


with inarch.open(sys.argv[1], durability="relaxed") as g:
    idle = status("VmRSS")
    with open("/proc/self/clear_refs", "w") as f:
        f.write("5")  # the high-water mark starts anew
    t = time.perf_counter()
    m = g.merge("side", "main")
    seconds = time.perf_counter() - t
    peak = status("VmHWM") - idle
    counts = g.io_counts()
print(json.dumps({"seconds": seconds, "peak": peak, "outcome": m["outcome"], "all_read": counts["read"],
                  "route": m["routes"][0]["route"],
                  **{k: m[k] for k in ("meta_read", "meta_written", "key_read", "key_written", "payload_read",
                                       "payload_written")}}))
