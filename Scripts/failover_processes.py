"""The processes that Scripts/failover starts: clusters of PostgreSQL, and `assay serve`."""

import contextlib
import glob
import os
import shutil
import signal
import subprocess
import time

USER = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}


def wait_for(condition, what, seconds=60, pause=0.02):
    """Polls a condition; ends the program if it does not hold in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"no {what} within {seconds} seconds")
        time.sleep(pause)


def find_program(name, folders):
    for folder in folders:
        if folder and os.access(os.path.join(folder, name), os.X_OK):
            return os.path.join(folder, name)
    raise SystemExit(f"{name} is needed")


def postgresql(name):
    """A program of the newest PostgreSQL server here, or of ASSAY_POSTGRESQL."""
    versions = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: -float(path.split("/")[-2]))
    return find_program(name, [os.environ.get("ASSAY_POSTGRESQL", ""), *versions, *os.environ["PATH"].split(":")])


class Cluster:
    """A PostgreSQL cluster on a socket in a folder of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.data = os.path.join(folder, "data")
        os.mkdir(folder)
        if USER:
            shutil.chown(folder, USER["user"], USER["group"])
        self.process = None

    def run(self, name, *arguments):
        done = subprocess.run([postgresql(name), *arguments], cwd="/", text=True, capture_output=True, check=False, **USER)
        if done.returncode != 0:
            raise SystemExit(f"{name}: {done.stdout}{done.stderr}")
        return done.stdout.strip()

    def create(self):
        self.run("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
        self.start()

    def follow(self, primary, is_synchronous):
        """Makes a new standby of a primary in this cluster's place."""
        shutil.rmtree(self.data, ignore_errors=True)
        self.run("pg_basebackup", "-D", self.data, "-h", primary.folder, "-U", "postgres", "-R", "-c", "fast", "--no-sync")
        self.start()
        if is_synchronous:
            # Not in the copy: a promoted standby must not wait for a standby that it does not have.
            primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
            primary.sql("SELECT pg_reload_conf()")
        standbys = f"SELECT count(*) FROM pg_stat_replication WHERE sync_state = '{'sync' if is_synchronous else 'async'}'"
        wait_for(lambda: primary.sql(standbys) == "1", "standby", pause=0.1)

    def start(self):
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = subprocess.Popen(
                [postgresql("postgres"), "-D", self.data, "-k", self.folder, "-c", "listen_addresses=", "-c",
                 "shared_buffers=32MB", "-c", "wal_retrieve_retry_interval=500ms"],
                cwd="/", stdout=log, stderr=log, **USER)
        ready = [postgresql("pg_isready"), "-q", "-h", self.folder, "-U", "postgres"]
        wait_for(lambda: subprocess.run(ready, check=False).returncode == 0, f"server in {self.folder}", pause=0.1)

    def sql(self, text):
        return self.run("psql", "-h", self.folder, "-U", "postgres", "-d", "postgres", "-XqAt", "-c", text)

    def kill(self):
        """Ends the server and its processes as a power cut does."""
        path = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        with open(path, encoding="ascii") as file:
            children = [int(number) for number in file.read().split()]
        self.process.kill()
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        self.process.wait()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()


class Service:
    """One `assay serve` on a socket."""

    def __init__(self, program, folder, name, policy, ledger):
        self.socket = os.path.join(folder, f"{name}.sock")
        self.log = os.path.join(folder, f"{name}.log")
        self.command = [program, "serve", "--policy", policy, "--ledger", ledger, "--listen", f"unix:{self.socket}", "--set",
                        "admin=none"]
        self.process = None

    def start(self):
        if os.path.exists(self.socket):
            os.remove(self.socket)
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)
        wait_for(lambda: os.path.exists(self.socket) or self.process.poll() is not None, "socket of the service")
        if self.process.poll() is not None:
            with open(self.log, encoding="utf-8") as log:
                raise SystemExit(f"assay serve has ended: {log.read()}")

    def stop(self, how=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait()
