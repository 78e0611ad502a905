"""Tests Examples/spark/replay.py on a cluster of three worker processes on this machine.

    python test_replay.py ASSAY

A corpus that has everything which makes a replay hard is replayed on one machine and on the cluster: verdicts, summary,
report and exit status must be the same, byte for byte.
"""

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

# Before a JVM is there: every process of the cluster is on this machine.
os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
os.environ["PYSPARK_PYTHON"] = sys.executable

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
            "spark.sql.files.maxPartitionBytes": "256k", "spark.sql.files.openCostInBytes": "64k",
        }.items():
            builder = builder.config(name, value)
        cls.spark = builder.getOrCreate()
        cls.spark.sparkContext.setLogLevel("OFF")

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
        """What a replay on one machine gives: status, verdicts, summary, report."""
        summary, report = self.scratch / "one.json", self.scratch / "one.html"
        run = self.assay(
            "replay", corpus, "--policy", self.minted / "policy.yaml", "--json", "--summary", summary, *words)
        merged = self.assay("report", summary, "--output", report, "--title", "Replay")
        self.assertEqual(merged.returncode, 0, merged.stderr.decode())
        return run.returncode, run.stdout, summary.read_bytes(), report.read_bytes()

    def on_the_cluster(self, corpus, *words, assay=None):
        """What a replay on the cluster gives; nothing for what was not written."""
        paths = [self.scratch / name for name in ("verdicts.ndjson", "all.json", "all.html")]
        for path in paths:
            path.unlink(missing_ok=True)
        options = replay.arguments([
            str(word) for word in [
                corpus, "--assay", assay or ASSAY, "--policy", self.minted / "policy.yaml", "--output", paths[0],
                "--summary", paths[1], "--report", paths[2], "--title", "Replay", *words]])
        status = replay.run(self.spark, options)
        leftovers = list(self.scratch.glob("*.part"))
        self.assertEqual(leftovers, [])
        return (status, *[path.read_bytes() if path.exists() else None for path in paths])

    def compare(self, corpus, *words, status, partitions=7):
        """Replays a corpus both ways, and demands the same of both."""
        one = self.on_one_machine(corpus, *words)
        self.assertEqual(one[0], status)
        all_of_them = self.on_the_cluster(corpus, "--partitions", partitions, *words)
        self.assertEqual(all_of_them[0], one[0])
        # Lines, so that a difference can be read.
        self.assertEqual(all_of_them[1].splitlines(), one[1].splitlines())
        self.assertEqual(all_of_them[1], one[1])
        self.assertEqual(all_of_them[2], one[2])
        self.assertEqual(all_of_them[3], one[3])
        return one[1]

    def nasty(self):
        """The corpus with everything in it that makes a replay hard."""
        lines = self.lines()
        generator = random.Random(7)
        attestation = next(i for i, line in enumerate(lines) if b"-attestation-" in line and b'"accept"' in line)
        name = json.loads(lines[attestation])["evidence"]["keyId"].encode()
        assertion = next(
            i for i, line in enumerate(lines) if b"-assertion-" in line and name in line and i > attestation)
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
        """One key alone, and more mappers than records, of which most get nothing."""
        lines = self.lines()
        name = next(json.loads(line)["evidence"]["keyId"].encode() for line in lines if b"-assertion-" in line)
        few = [line for line in lines if name in line]
        self.assertGreater(len(few), 2)
        self.compare(self.write("skew.ndjson", few), status=self.assay(
            "replay", self.scratch / "skew.ndjson", "--policy", self.minted / "policy.yaml").returncode, partitions=31)

    def test_killed_mapper(self):
        """A mapper that dies in the middle fails the job, and nothing is written."""
        program = self.scratch / "dying"
        program.write_text(
            "#!/bin/sh\n"
            f'[ "$1" = partition ] && exec "{ASSAY}" "$@"\n'
            f'"{ASSAY}" "$@" | head -c 20000\n'
            f"kill -{int(signal.SIGKILL)} $$\n")
        program.chmod(0o755)
        result = self.on_the_cluster(self.minted / "corpus.ndjson", assay=program)
        self.assertEqual(result, (replay.FAILED, None, None, None))

    def test_failing_partition(self):
        """A mapper that leaves lines out fails the job as well."""
        program = self.scratch / "leaving"
        program.write_text(
            "#!/bin/sh\n"
            f'[ "$1" = partition ] || exec "{ASSAY}" "$@"\n'
            f'head -n 3 | "{ASSAY}" "$@"\nexit 2\n')
        program.chmod(0o755)
        result = self.on_the_cluster(self.minted / "corpus.ndjson", assay=program)
        self.assertEqual(result, (replay.FAILED, None, None, None))

    def test_unreadable_policy(self):
        """A policy that cannot be read has no result."""
        result = self.on_the_cluster(
            self.minted / "corpus.ndjson", "--against", self.minted / "README.md")
        self.assertEqual(result, (replay.FAILED, None, None, None))

    def test_workers(self):
        """The cluster is one of several processes."""
        seen = self.spark.sparkContext.parallelize(range(60), 60).map(lambda _: os.getppid()).distinct().collect()
        self.assertEqual(len(seen), WORKERS)


if __name__ == "__main__":
    ASSAY = str(pathlib.Path(sys.argv[1]).resolve())
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
