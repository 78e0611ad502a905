#!/usr/bin/env python3
"""Replays a corpus on Apache Spark, with the result of `assay replay` on one machine, byte for byte.

    spark-submit replay.py corpus.ndjson --policy policy.yaml --output verdicts.ndjson --report report.html

Each step is a program of Assay on lines of text, and Spark carries the lines:

    number the lines        N <tab> RECORD
    | assay partition       KEY <tab> N <tab> RECORD        records of one key depend on each other
    to partitions by KEY, in each sorted by N
    | assay replay -        N <tab> {verdict}               and one last line: summary <tab> {...}
    sorted by N             the verdicts; the summaries are merged by `assay report`

Exit status: that of `assay replay`: 0, 1 when an expectation is not met, 2 when something could not be read or judged;
70 when the job failed, and 64 for bad arguments. README.md says the rest.
"""

import argparse
import base64
import json
import os
import shlex
import subprocess
import sys

from pyspark import StorageLevel
from pyspark.sql import SparkSession

SUMMARY = "summary\t"
FAILED = 70


class JobFailure(Exception):
    """Why there is no result; never a reason to write a part of one."""


def as_text(line):
    """A line as a pipe of text can carry it: what is no text, and what could be taken for it, in base64 after `=`."""
    if not line.startswith(b"="):
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError:
            pass
    return "=" + base64.b64encode(line).decode("ascii")


def numbered_lines(spark, path):
    """The lines of a file, in their order and from 1 on, each with its number: `N <tab> RECORD`.

    The text source of Spark SQL hands out the bytes as they are, where `SparkContext.textFile` would replace what is not
    UTF-8. Of one file its partitions are in the order of the bytes.
    """
    lines = spark.read.option("lineSep", "\n").text(path).selectExpr("cast(value as binary)")
    return lines.rdd.zipWithIndex().map(lambda pair: f"{pair[1] + 1}\t{as_text(bytes(pair[0][0]))}")


def keyed(line):
    """A line of `assay partition` as ((key, number), line without the key)."""
    key, rest = line.split("\t", 1)
    return (int(key, 16), int(rest.split("\t", 1)[0])), rest


def verdict_key(line):
    """The number of a line of `assay replay --numbered`."""
    return int(line.split("\t", 1)[0])


def whole(lines):
    """The lines of a mapper, the last of which is its summary: without it Spark has to run the mapper again."""
    last = ""
    for line in lines:
        last = line
        yield line
    if not last.startswith(SUMMARY):
        raise RuntimeError("a mapper did not come to its end; why is in the standard error of its worker")


def replay_command(options):
    """The mapper: `assay replay` as anybody would call it, on numbered lines."""
    command = [
        options.assay, "replay", "-", "--numbered", "--json", "--summary", "-", "--jobs", "1",
        "--name", options.name or options.corpus, "--policy", options.policy,
    ]
    if options.against:
        command += ["--against", options.against]
    return command + capture_key(options) + options.replay_option


def partition_command(options):
    """The mapper before it, which says what belongs together."""
    return [options.assay, "partition"] + capture_key(options)


def capture_key(options):
    """The option that opens sealed records."""
    return ["--capture-key", options.capture_key] if options.capture_key else []


def replay(spark, options):
    """Runs the job. Gives the verdicts in their order, an RDD, and the summaries, one for each partition."""
    partitions = options.partitions or max(spark.sparkContext.defaultParallelism, 1)
    lines = numbered_lines(spark, options.corpus)
    # A mapper that fails here leaves lines out, so that its status counts.
    partitioned = lines.pipe(shlex.join(partition_command(options)), checkCode=True)
    ordered = partitioned.map(keyed).repartitionAndSortWithinPartitions(
        numPartitions=partitions, partitionFunc=lambda key: key[0], keyfunc=lambda key: key[1])
    # The status of a replay is 1 or 2 for what is in the corpus. That it came to its end shows in its summary.
    replayed = ordered.values().pipe(shlex.join(replay_command(options))).mapPartitions(whole)
    # Kept, so that no mapper runs twice.
    results = replayed.persist(StorageLevel.MEMORY_AND_DISK)
    summaries = results.filter(lambda line: line.startswith(SUMMARY)).map(lambda line: line[len(SUMMARY):]).collect()
    if len(summaries) != partitions:
        raise JobFailure(f"expected {partitions} summaries, one for each partition, and got {len(summaries)}")
    verdicts = results.filter(lambda line: not line.startswith(SUMMARY)).sortBy(verdict_key)
    return verdicts.map(lambda line: line.split("\t", 1)[1]), summaries


def write_verdicts(verdicts, path):
    """Streams the verdicts to a file, which appears when it is whole."""
    part = f"{path}.part"
    try:
        with open(part, "wb") as output:
            for line in verdicts.toLocalIterator(prefetchPartitions=True):
                output.write(line.encode("utf-8") + b"\n")
            output.flush()
            os.fsync(output.fileno())
        os.replace(part, path)
    except BaseException:
        if os.path.exists(part):
            os.unlink(part)
        raise


def merge(summaries, options):
    """Merges the summaries with `assay report`, writes what was asked for, and gives the merged one."""
    merged = options.summary or f"{options.output}.summary.json"
    command = [options.assay, "report", "-", "--summary", merged, "--policy", options.policy]
    if options.against:
        command += ["--against", options.against]
    if options.report:
        command += ["--output", options.report]
    if options.title:
        command += ["--title", options.title]
    text = "".join(f"{SUMMARY}{summary}\n" for summary in summaries)
    run = subprocess.run(command, input=text.encode("utf-8"), check=False)
    if run.returncode != 0:
        raise JobFailure(f"assay report ended with status {run.returncode}")
    with open(merged, "rb") as file:
        result = json.load(file)
    if not options.summary:
        os.unlink(merged)
    return result


def status(summary):
    """The exit status of `assay replay` for a summary: what could not be judged outweighs what was not expected."""
    _, _, failed, *_ = summary["outcomes"]
    _, _, failed_against, *_ = summary["outcomesAgainst"]
    if failed or failed_against:
        return 2
    return 1 if summary["mismatches"] else 0


class Parser(argparse.ArgumentParser):
    """Ends with the status that the programs of Assay end with."""

    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(64, f"error: {message}\n")


def arguments(words=None):
    """Reads the command line."""
    parser = Parser(description="Replays a corpus on Apache Spark.")
    parser.add_argument("corpus", help="a file of one record per line, by a path that all workers have")
    parser.add_argument("--policy", required=True, help="by a path that all workers have")
    parser.add_argument("--against", help="a policy to compare with, by a path that all workers have")
    parser.add_argument(
        "--capture-key", metavar="SOURCE", help="what opens sealed records, file:PATH or env:NAME as all workers have it")
    parser.add_argument("--assay", default="assay", help="the program, by a path that all workers have")
    parser.add_argument("--output", required=True, help="the file to write the verdicts to, on the driver")
    parser.add_argument("--summary", help="the file to write the merged summary to, on the driver")
    parser.add_argument("--report", help="the file to write the report to, on the driver")
    parser.add_argument("--title", help="what the report is called")
    parser.add_argument("--name", help="what places call the corpus; its path without it")
    parser.add_argument("--partitions", type=int, help="how many mappers there are; the default parallelism without it")
    parser.add_argument(
        "--replay-option", action="append", default=[], metavar="OPTION",
        help="one more option of assay replay, such as --replay-option=--at=2026-05-01T00:00:00Z")
    parser.add_argument("--master", help="the cluster, where spark-submit does not say it")
    options = parser.parse_args(words)
    if options.partitions is not None and options.partitions < 1:
        parser.error("--partitions is at least 1")
    return options


def run(spark, options):
    """Replays a corpus, and gives the exit status."""
    try:
        verdicts, summaries = replay(spark, options)
        write_verdicts(verdicts, options.output)
        return status(merge(summaries, options))
    except JobFailure as failure:
        print(f"error: {failure}", file=sys.stderr)
    except Exception as failure:  # pylint: disable=broad-except
        # Whatever it is, a part of a result is none.
        print(f"error: the job failed: {reason(failure)}", file=sys.stderr)
    return FAILED


def reason(failure):
    """The sentence in an exception of Spark, which has that of the worker and two stacks in it."""
    lines = str(failure).splitlines() or [type(failure).__name__]
    raised = [line for line in lines if line.startswith(("RuntimeError: ", "Exception: ", "pyspark.errors."))]
    return (raised or lines)[0]


def main():
    options = arguments()
    builder = SparkSession.builder.appName("assay replay")
    if options.master:
        builder = builder.master(options.master)
    spark = builder.getOrCreate()
    try:
        return run(spark, options)
    finally:
        spark.stop()


if __name__ == "__main__":
    sys.exit(main())
