#!/usr/bin/env python3
"""Replays a corpus on Apache Spark. The verdicts are those of `assay replay` on one machine, byte for byte.

    spark-submit replay.py corpus.ndjson --policy policy.yaml --output verdicts.ndjson

Records whose verdicts depend on each other get the same key. Spark moves the records of a key to one partition and sorts
them by their line, `assay replay` judges each partition, and Spark sorts the verdicts by line again.

Exit status: that of `assay replay`: 0, 1 for an unexpected verdict, 2 for a record that could not be read or judged;
70 for a failed job, 64 for bad arguments.
"""

import argparse
import base64
import collections
import contextlib
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import threading

from pyspark import StorageLevel
from pyspark.sql import SparkSession

FAILED = 70
# The number of the last item of a partition, which holds the exit status of its replay.
STATUS = -1
# The evidence field on which verdicts of a kind depend.
KEY_FIELDS = {
    "app-attest.attestation": "keyId", "app-attest.assertion": "keyId", "app-attest.receipt": "keyId",
    "play-integrity.classic": "nonce", "play-integrity.standard": "requestHash",
}
# The header field on which verdicts of a kind depend: what may be accepted once stands there.
HEADER_FIELDS = {"approov.message": "approov-token", "assay.token": "authorization", "play-integrity.request": "signature"}
# The number of sealed records at the end of a line, in the last record of them or alone.
END = re.compile(rb'(^[ \t]*\{)?"sealedRecords":(\d+)\}[ \t\r]*$')
# The parameters of one signature in the field Signature-Input (RFC 9421, section 4.1).
SIGNATURE_PARAMETERS = re.compile(r'=\([^)]*\)((?:;[a-z_*][a-z0-9_.*-]*(?:=(?:"[^"]*"|[^;,"]*))?)*)')


def parsed(line):
    """The record of a line; an empty one if there is none."""
    try:
        record = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def dependency(record):
    """What the verdict on a record shares with the verdicts that depend on it; None if no other depends on it."""
    kind, evidence = record.get("kind"), record.get("evidence")
    if not isinstance(kind, str) or not isinstance(evidence, dict):
        return None
    engine = kind.split(".")[0]
    if kind in HEADER_FIELDS:
        value = header(evidence, HEADER_FIELDS[kind])
    elif kind == "android-key.attestation":
        value = android_key(evidence)
    elif kind in ("android-key.request", "app-attest.request"):
        value = signing_key(header(evidence, "signature-input"), engine)
    else:
        value = evidence.get(KEY_FIELDS.get(kind))
    return (engine, value) if isinstance(value, str) else None


def header(evidence, name):
    """The value of a header field, in lower case; its lines joined, and empty without one."""
    fields = evidence.get("headers")
    lines = [
        field[1].strip(" \t") for field in (fields if isinstance(fields, list) else [])
        if isinstance(field, list) and len(field) == 2 and all(isinstance(text, str) for text in field)
        and field[0].lower() == name]
    return ", ".join(lines)


def signing_key(inputs, tag):
    """The `keyid` of the first signature with this tag; None without one."""
    for parameters in SIGNATURE_PARAMETERS.findall(inputs):
        if f';tag="{tag}"' in parameters:
            found = re.search(r';keyid="([^"]*)"', parameters)
            return found and found.group(1)
    return None


def android_key(evidence):
    """The identifier of an attested key as requests name it: SHA-256 of the leaf's SubjectPublicKeyInfo; None without one."""
    try:
        certificate = base64.b64decode(evidence["certificates"][0], validate=True)
        # Certificate, TBSCertificate, and there version, serial number, signature, issuer, validity, subject (RFC 5280, 4.1).
        position = element(certificate, element(certificate, 0)[0])[0]
        for _ in range(6):
            position = element(certificate, position)[1]
        key = certificate[position:element(certificate, position)[1]]
    except (LookupError, TypeError, ValueError):
        return None
    return base64.b64encode(hashlib.sha256(key).digest()).decode()


def element(der, position):
    """Where the contents of a DER element begin and where they end."""
    length, start = der[position + 1], position + 2
    if length >= 0x80:
        start += length - 0x80
        length = int.from_bytes(der[position + 2:start], "big")
    return start, start + length


def keyed(item):
    """A numbered line with its key: ((key, number), line). The key comes from the record, opened if it is sealed."""
    number, line, record = item
    text = repr(dependency(parsed(record)) or number)
    return (int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big"), number), line


def numbered_lines(spark, path):
    """The lines of a file that are not blank, as bytes, numbered from 1."""
    # SparkContext.textFile would replace bytes that are not UTF-8. The partitions of one file are in the order of its bytes.
    lines = spark.read.option("lineSep", "\n").text(path).selectExpr("cast(value as binary)")
    pairs = lines.rdd.zipWithIndex().map(lambda pair: (pair[1] + 1, bytes(pair[0][0])))
    return pairs.filter(lambda pair: pair[1].strip(b" \t\r"))


def is_end(line):
    """Whether a line has nothing but the number of the sealed records before it."""
    end = END.search(line)
    return end is not None and end[1] is not None


def require_ends(lines):
    """Compares the numbers at the ends of sealed records with the lines, of which a worker sees only a part."""
    numbered = lines.values().zipWithIndex()
    ends = sorted(
        numbered.filter(lambda pair: END.search(pair[0])).map(
            lambda pair: (pair[1], int(END.search(pair[0])[2]), is_end(pair[0]))).collect())
    starts = {0} | {position + 1 for position, _, _ in ends}
    sealed = set(
        numbered.filter(lambda pair: pair[1] in starts and b'"sealed":' in pair[0] and b'"evidence":' not in pair[0])
        .values().collect())
    start = 0
    for position, number, is_alone in ends:
        # A record in clear has no such field.
        if not is_alone and start not in sealed:
            continue
        count = position - start + (0 if is_alone else 1)
        if count != number:
            raise RuntimeError(f"there are {count} sealed records up to a line that counts {number}: some were removed or added")
        start = position + 1
    if start in sealed:
        print("note: the sealed records have no end; records may be missing", file=sys.stderr)


def opened(items, assay, key):
    """Adds its record to each line: that of a sealed one as `assay capture open` prints it."""
    items = [(number, line, line) for number, line in items]
    sealed = [index for index, item in enumerate(items) if b'"sealed"' in item[1] and "sealed" in parsed(item[1])]
    if not sealed:
        return items
    if not key:
        raise RuntimeError("the corpus has sealed records; give --capture-key")
    run = subprocess.run(
        [assay, "capture", "open", "--part", "--key", key, "-"], check=False, capture_output=True,
        input=b"".join(items[index][1] + b"\n" for index in sealed))
    records = run.stdout.splitlines()
    if run.returncode != 0 or len(records) != len(sealed):
        raise RuntimeError("sealed records cannot be opened: " + run.stderr.decode("utf-8", "replace").strip())
    for index, record in zip(sealed, records):
        items[index] = (*items[index][:2], record)
    return items


def replayed(items, command, name):
    """Replays the numbered lines of a partition. Gives (number, verdict), and at last (STATUS, exit status)."""
    numbers = collections.deque()
    with tempfile.TemporaryFile() as errors:
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors) as process:
            def write():
                # Closing flushes. A replay that has ended reports why by its status.
                with contextlib.suppress(BrokenPipeError), process.stdin:
                    for number, line in items:
                        numbers.append(number)
                        process.stdin.write(line + b"\n")

            writer = threading.Thread(target=write)
            writer.start()
            count = 0
            for line in process.stdout:
                count += 1
                number = numbers.popleft()
                # A record without a verdict has its place in the partition.
                place = b'"file":"standard input","line":%d,' % count
                yield number, line.rstrip(b"\n").replace(place, b'"file":%s,"line":%d,' % (name, number), 1)
            writer.join()
            status = process.wait()
        errors.seek(0)
        if status not in (0, 1, 2) or numbers:
            reason = errors.read().decode("utf-8", "replace").strip().splitlines()
            raise RuntimeError(f"a replay ended with status {status}: {reason[-1] if reason else 'no reason given'}")
    yield STATUS, status


def replay_command(options):
    """The replay of one partition."""
    command = [options.assay, "replay", "-", "--lines", "--part", "--json", "--jobs", "1", "--policy", options.policy]
    if options.against:
        command += ["--against", options.against]
    if options.capture_key:
        command += ["--capture-key", options.capture_key]
    return command + options.replay_option


def replay(spark, options):
    """Runs the job. Gives the verdicts in the order of the corpus, an RDD, and the exit status."""
    partitions = options.partitions or max(spark.sparkContext.defaultParallelism, 1)
    command, assay, key = replay_command(options), options.assay, options.capture_key
    name = json.dumps(options.name or options.corpus, ensure_ascii=False).encode()
    lines = numbered_lines(spark, options.corpus)
    if key:
        require_ends(lines)
    lines = lines.filter(lambda item: not is_end(item[1])).mapPartitions(lambda items: opened(items, assay, key))
    ordered = lines.map(keyed).repartitionAndSortWithinPartitions(
        numPartitions=partitions, partitionFunc=lambda key: key[0], keyfunc=lambda key: key[1])
    results = ordered.map(lambda item: (item[0][1], item[1])).mapPartitions(
        lambda items: replayed(items, command, name))
    # Kept, so that no partition is replayed twice.
    results = results.persist(StorageLevel.MEMORY_AND_DISK)
    status = max(results.filter(lambda item: item[0] == STATUS).map(lambda item: item[1]).collect(), default=0)
    return results.filter(lambda item: item[0] != STATUS).sortByKey().values(), status


def write_verdicts(verdicts, path):
    """Writes the verdicts to a file, which appears when it is complete."""
    part = f"{path}.part"
    try:
        with open(part, "wb") as output:
            for line in verdicts.toLocalIterator(prefetchPartitions=True):
                output.write(line + b"\n")
            output.flush()
            os.fsync(output.fileno())
        os.replace(part, path)
    except BaseException:
        if os.path.exists(part):
            os.unlink(part)
        raise


def outcome(line):
    """The outcome of a line of verdicts, with the first failed check or the code of the error."""
    verdict = json.loads(line)
    if "error" in verdict:
        return "not judged", verdict["error"]["code"]
    return verdict["outcome"], (verdict["failed"] or [""])[0]


def print_counts(verdicts):
    """Prints how often each outcome occurs, the most frequent first."""
    counts = verdicts.map(lambda line: (outcome(line), 1)).reduceByKey(lambda left, right: left + right).collect()
    for (word, reason), count in sorted(counts, key=lambda item: (-item[1], item[0])):
        print(f"{count:12,}  {word} {reason}".rstrip())


class Parser(argparse.ArgumentParser):
    """Exits with the status of `assay` for bad arguments."""

    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(64, f"error: {message}\n")


def arguments(words=None):
    """Parses the command line."""
    parser = Parser(description="Replays a corpus on Apache Spark.")
    parser.add_argument("corpus", help="a file with one record per line; its path on all workers")
    parser.add_argument("--policy", required=True, help="the policy; its path on all workers")
    parser.add_argument("--against", help="a second policy to compare with; its path on all workers")
    parser.add_argument(
        "--capture-key", metavar="SOURCE", help="the key that opens sealed records: file:PATH or env:NAME on all workers")
    parser.add_argument("--assay", default="assay", help="the program; its path on all workers")
    parser.add_argument("--output", required=True, help="the file of the verdicts, on the driver")
    parser.add_argument("--name", help="the name of the corpus in errors; its path without it")
    parser.add_argument("--partitions", type=int, help="the number of partitions; the default parallelism without it")
    parser.add_argument(
        "--replay-option", action="append", default=[], metavar="OPTION",
        help="another option of assay replay, such as --replay-option=--at=2026-05-01T00:00:00Z")
    parser.add_argument("--master", help="the cluster, unless spark-submit names it")
    options = parser.parse_args(words)
    if options.partitions is not None and options.partitions < 1:
        parser.error("--partitions is at least 1")
    return options


def run(spark, options):
    """Replays a corpus, and gives the exit status."""
    try:
        verdicts, status = replay(spark, options)
        write_verdicts(verdicts, options.output)
        print_counts(verdicts)
        return status
    except Exception as failure:  # pylint: disable=broad-except
        print(f"error: the job failed: {reason(failure)}", file=sys.stderr)
        return FAILED


def reason(failure):
    """The message in an exception of Spark, which also holds that of the worker and two stacks."""
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
