"""Tests Examples/spark/replay.py on a cluster of three worker processes on this machine.

    python test_replay.py ASSAY

A difficult corpus is replayed on one machine and on the cluster: verdicts and exit status must be the same, byte for byte.
"""

import contextlib
import io
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent.parent / "Examples" / "spark"))

NO_PERFORMANCE_DATA = "-XX:-UsePerfData"

# Before a JVM is there: every process of the cluster is on this machine.
os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
os.environ["PYSPARK_PYTHON"] = sys.executable
# A JVM writes performance data to a file in /tmp, and warns among the output if another one locks that file.
os.environ["SPARK_LAUNCHER_OPTS"] = NO_PERFORMANCE_DATA
os.environ["PYSPARK_SUBMIT_ARGS"] = " ".join(
    [f"--conf spark.{role}.extraJavaOptions={NO_PERFORMANCE_DATA}" for role in ("driver", "executor")] + ["pyspark-shell"])

import replay  # noqa: E402  pylint: disable=wrong-import-position
from pyspark.sql import SparkSession  # noqa: E402  pylint: disable=wrong-import-position

ASSAY = ""
WORKERS = 3


class ReplayTest(unittest.TestCase):
    """Each test replays a corpus of its own."""

    @classmethod
    def setUpClass(cls):
        cls.scratch = pathlib.Path(tempfile.mkdtemp(prefix="assay-spark-"))
        cls.minted = cls.scratch / "minted"
        cls.assay(
            "mint", "corpus", "--output", cls.minted, "--seed", "spark", "--at", "2026-11-01T00:00:00Z", "--devices",
            "60", "--days", "7", "--records", "2000", check=True)
        builder = SparkSession.builder.master(f"local-cluster[{WORKERS},1,512]").appName("assay tests")
        for name, value in {
            "spark.executor.memory": "512m", "spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1",
            "spark.ui.showConsoleProgress": "false", "spark.task.maxFailures": "2",
            # Small enough that the corpus is in several pieces, whose order matters.
            "spark.sql.files.maxPartitionBytes": "512k", "spark.sql.files.openCostInBytes": "64k",
        }.items():
            builder = builder.config(name, value)
        cls.spark = builder.getOrCreate()
        cls.spark.sparkContext.setLogLevel("OFF")
        # As a program it would be sent to the workers by itself.
        cls.spark.sparkContext.addPyFile(replay.__file__)

    @classmethod
    def tearDownClass(cls):
        cls.spark.stop()
        shutil.rmtree(cls.scratch)

    @staticmethod
    def assay(*words, check=False):
        """Runs the program."""
        run = subprocess.run([ASSAY, *map(str, words)], capture_output=True, check=False)
        if check and run.returncode != 0:
            raise AssertionError(run.stderr.decode())
        return run

    def lines(self):
        """The lines of the minted corpus."""
        return (self.minted / "corpus.ndjson").read_bytes().splitlines(keepends=True)

    def write(self, name, lines):
        """Writes a corpus."""
        path = self.scratch / name
        path.write_bytes(b"".join(lines))
        return path

    def on_one_machine(self, corpus, *words):
        """Status and verdicts of a replay on one machine."""
        run = self.assay("replay", corpus, "--policy", self.minted / "policy.yaml", "--json", *words)
        return run.returncode, run.stdout

    def on_the_cluster(self, corpus, *words, assay=None):
        """Status and verdicts of a replay on the cluster; None if no verdicts were written."""
        path = self.scratch / "verdicts.ndjson"
        path.unlink(missing_ok=True)
        options = replay.arguments([
            str(word) for word in [
                corpus, "--assay", assay or ASSAY, "--policy", self.minted / "policy.yaml", "--output", path, *words]])
        status = replay.run(self.spark, options)
        leftovers = list(self.scratch.glob("*.part"))
        self.assertEqual(leftovers, [])
        return status, path.read_bytes() if path.exists() else None

    def compare(self, corpus, *words, status, partitions=5):
        """Replays a corpus both ways, and demands the same of both."""
        one = self.on_one_machine(corpus, *words)
        self.assertEqual(one[0], status)
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            other = self.on_the_cluster(corpus, "--partitions", partitions, *words)
        self.assertEqual(other[0], one[0], errors.getvalue())
        # Line by line, for a readable difference.
        self.assertEqual(other[1].splitlines(), one[1].splitlines())
        self.assertEqual(other[1], one[1])
        return one[1]

    def nasty(self):
        """The corpus with duplicates, disorder and broken lines."""
        lines = self.lines()
        generator = random.Random(7)
        attestation = next(
            i for i, line in enumerate(lines) if b'"app-attest.attestation"' in line and b'"accept"' in line)
        name = json.loads(lines[attestation])["evidence"]["keyId"].encode()
        assertion = next(
            i for i, line in enumerate(lines) if b'"app-attest.assertion"' in line and name in line and i > attestation)
        # An assertion that comes before the attestation of its key, and again after it.
        lines.insert(attestation, lines[assertion])
        # Records that come twice, far apart.
        for _ in range(40):
            lines.insert(generator.randrange(len(lines)), generator.choice(lines))
        broken = [
            b"\n", b"   \r\n", b"{\n", b"nonsense\n", b'{"id":"cut","kind":"app-attest.asser\n', b"[]\n", b"=\n",
            b"=e30=\n", b"\xff\xfe\x00{}\n", b'{"id":"\xff","kind":"x","evidence":{}}\n', b"1\t{}\n", b"\t{}\n",
            b'{"id":"\xe2\x80\xa8\xc2\x85","kind":"x","evidence":{}}\n', b"\x00\n", b"summary\t{}\n",
            b'{"kind":"play-integrity.standard","evidence":{}}\n', b"\xef\xbf\xbd\n",
        ]
        for line in broken:
            lines.insert(generator.randrange(1, len(lines)), line)
        # White space around records, a carriage return in one, and no line feed at the end.
        lines[5] = lines[5].replace(b'"kind":', b'"kind":\r', 1)
        lines[9] = b"  " + lines[9].replace(b"\n", b" \r\n")
        lines[-1] = lines[-1].rstrip(b"\n")
        return self.write("nasty.ndjson", lines)

    def test_nasty(self):
        """Broken lines, duplicates and disorder come out as on one machine."""
        verdicts = self.compare(self.nasty(), status=2)
        self.assertIn(b'"error"', verdicts)
        self.assertIn(b"app-attest.assertion.key", verdicts)

    def test_comparison(self):
        """Two policies are compared as on one machine."""
        verdicts = self.compare(self.nasty(), "--against", self.minted / "stricter.yaml", status=2)
        self.assertIn(b'"against"', verdicts)

    def test_sound(self):
        """The exit status says that all is as expected, or that something is not."""
        corpus = self.minted / "corpus.ndjson"
        self.compare(corpus, status=0)
        lines = self.lines()
        index = next(i for i, line in enumerate(lines) if b'"outcome":"accept"' in line)
        lines[index] = lines[index].replace(b'"outcome":"accept"', b'"outcome":"reject"')
        self.compare(self.write("unexpected.ndjson", lines), status=1)

    def test_skew(self):
        """One key alone, and more partitions than records."""
        lines = self.lines()
        name = next(json.loads(line)["evidence"]["keyId"].encode() for line in lines if b"-assertion-" in line)
        few = [line for line in lines if name in line]
        self.assertGreater(len(few), 2)
        self.compare(self.write("skew.ndjson", few), status=self.assay(
            "replay", self.scratch / "skew.ndjson", "--policy", self.minted / "policy.yaml").returncode, partitions=31)

    def failure(self, *words, assay=None):
        """The words with which a replay of the minted corpus fails on the cluster, which must write nothing then."""
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            result = self.on_the_cluster(self.minted / "corpus.ndjson", *words, assay=assay)
        self.assertEqual(result, (replay.FAILED, None))
        return errors.getvalue()

    def program(self, name, text):
        """Writes a shell script that stands in the place of the program."""
        path = self.scratch / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return path

    def test_killed_replay(self):
        """A replay that dies in the middle fails the job, and nothing is written."""
        program = self.program("dying", f'"{ASSAY}" "$@" | head -c 20000\nkill -{int(signal.SIGKILL)} $$\n')
        self.assertIn("a replay ended with status -9", self.failure(assay=program))

    def test_short_replay(self):
        """A replay that leaves lines out fails the job."""
        program = self.program("leaving", f'head -n 3 | "{ASSAY}" "$@"\ncat >/dev/null\nexit 0\n')
        self.assertIn("a replay ended with status 0", self.failure(assay=program))

    def test_sealed(self):
        """Sealed records are opened with their key; without it the job fails."""
        keys = self.scratch / "keys"
        self.assay("capture", "key", "--output", keys, check=True)
        sealed = self.assay(
            "capture", "seal", "--to", f"file:{keys}/capture-public.key", self.minted / "corpus.ndjson", check=True)
        lines = [new if number % 2 else old for number, (new, old) in enumerate(
            zip(sealed.stdout.splitlines(keepends=True), self.lines()))]
        corpus = self.write("sealed.ndjson", lines)
        key = f"file:{keys}/capture-private.key"
        self.compare(corpus, "--capture-key", key, status=0)
        self.assertEqual(self.on_the_cluster(corpus), (replay.FAILED, None))
        # The last record says how many there are; a line of its own may say it, too.
        lines = sealed.stdout.splitlines(keepends=True)
        self.compare(self.write("whole.ndjson", lines), "--capture-key", key, status=0)
        more = lines + lines[:3] + [b'{"sealedRecords":3}\n']
        self.compare(self.write("more.ndjson", more), "--capture-key", key, status=1)
        for name, cut in (("first", lines[1:]), ("fourth", more[:-2] + more[-1:])):
            self.assertEqual(self.on_one_machine(self.write(name, cut), "--capture-key", key)[0], 2)
            errors = io.StringIO()
            with contextlib.redirect_stderr(errors):
                result = self.on_the_cluster(self.scratch / name, "--capture-key", key)
            self.assertEqual(result, (replay.FAILED, None))
            self.assertIn("some were removed or added", errors.getvalue())

    def test_unreadable_policy(self):
        """A policy that cannot be read has no result."""
        words = self.failure("--against", self.minted / "README.md")
        self.assertIn("a replay ended with status 2: error: ", words)

    def test_program(self):
        """The example is a program of its own."""
        output = self.scratch / "program.ndjson"
        run = subprocess.run(
            [sys.executable, replay.__file__, self.minted / "corpus.ndjson", "--master", "local[2]", "--assay", ASSAY,
             "--policy", self.minted / "policy.yaml", "--output", output],
            capture_output=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr.decode())
        self.assertEqual(output.read_bytes(), self.on_one_machine(self.minted / "corpus.ndjson")[1])
        self.assertEqual(list(self.scratch.glob("program.ndjson.*")), [])
        run = subprocess.run([sys.executable, replay.__file__], capture_output=True, check=False)
        self.assertEqual(run.returncode, 64)

    def test_workers(self):
        """The cluster is one of several processes."""
        seen = self.spark.sparkContext.parallelize(range(60), 60).map(lambda _: os.getppid()).distinct().collect()
        self.assertEqual(len(seen), WORKERS)


if __name__ == "__main__":
    ASSAY = str(pathlib.Path(sys.argv[1]).resolve())
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2, warnings="ignore")
