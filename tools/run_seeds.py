#!/usr/bin/env python3
"""Runs the random C++ tests of a build with further seeds (CAROM_TEST_SEED, tests/random.h) and lists what fails.

usage: run_seeds.py BUILD [--seeds N] [--first K] [--jobs J] [--filter PATTERN] [PROGRAM ...]

PROGRAM is carom_collide_test, carom_collide_test_f64 ...; without one all test programs of the build are run. Which
of their tests are random they say themselves, in the first run. PATTERN is one of --gtest_filter, for a part of them.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def run(program: pathlib.Path, seed: int, pattern: str) -> tuple[list[dict], str]:
    """The tests that ran, as gtest tells them; nothing but a text where the program ended before it could."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report.json")
        command = [str(program), "--gtest_brief=1", f"--gtest_output=json:{report}"]
        variables = {"CAROM_TEST_SEED": str(seed), "GTEST_FILTER": pattern}
        done = subprocess.run(
            command, env={**os.environ, **variables}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace"
        )
        if not report.exists():
            return [], f"ended with {done.returncode}: {done.stdout[-500:]}"
        suites = json.loads(report.read_text())["testsuites"]
        return [{**test, "name": f"{suite['name']}.{test['name']}"} for suite in suites for test in suite["testsuite"]], ""


def failures_of(program: pathlib.Path, seed: int, pattern: str) -> tuple[list[str], list[str]]:
    """(the random tests, lines about those that failed)."""
    tests, trouble = run(program, seed, pattern)
    random = [test for test in tests if "random" in test]
    failed = [f"{test['name']}: {test['failures'][0]['failure'].splitlines()[-1]}" for test in random if "failures" in test]
    lines = [f"CAROM_TEST_SEED={seed} {program} --gtest_filter={text}" for text in failed]
    if trouble:
        lines.append(f"CAROM_TEST_SEED={seed} {program} {trouble}")
    return [test["name"] for test in random], lines


def programs_of(build: pathlib.Path, names: list[str]) -> list[pathlib.Path]:
    if names:
        return [build / "tests" / name for name in names]
    found = [*(build / "tests").glob("carom_*_test"), *(build / "tests").glob("carom_*_test_f64")]
    return sorted(path for path in found if path.is_file())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--filter", default="*")
    args = parser.parse_intermixed_args()
    programs = programs_of(args.build, args.programs)
    if not programs or args.seeds < 1:
        print(f"seeds: no test programs in {args.build}/tests, or no seeds")
        return 1
    count, failed = 0, 0
    pool = concurrent.futures.ThreadPoolExecutor(args.jobs)
    jobs = {pool.submit(failures_of, program, args.first, args.filter): program for program in programs}
    further = []
    for job in concurrent.futures.as_completed(jobs):
        random, lines = job.result()
        count += len(random)
        failed += len(lines)
        print(*lines, sep="\n", end="\n" if lines else "", flush=True)
        if random:
            further += [
                pool.submit(failures_of, jobs[job], seed, ":".join(random))
                for seed in range(args.first + 1, args.first + args.seeds)
            ]
    for job in concurrent.futures.as_completed(further):
        _, lines = job.result()
        failed += len(lines)
        print(*lines, sep="\n", end="\n" if lines else "", flush=True)
    print(f"seeds: {count} random tests of {len(programs)} programs with {args.seeds} seeds each, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
