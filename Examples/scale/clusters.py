"""PostgreSQL clusters in temporary folders, and the map that says which cluster has which slot."""

import glob
import hashlib
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile

import psycopg2

# Entries are spread by slots, and slots are assigned to clusters: a slot can move, the hash of an entry cannot.
SLOTS = 64

SCHEMA = """
    CREATE TABLE slot (id int4 PRIMARY KEY, is_here bool NOT NULL);
    CREATE TABLE challenge (id bytea PRIMARY KEY, slot int4 NOT NULL, consumed bool NOT NULL);
    CREATE TABLE enrolled_key (id bytea PRIMARY KEY, slot int4 NOT NULL, counter int8 NOT NULL, account bytea NOT NULL);
    CREATE TABLE used_digest (id bytea PRIMARY KEY, slot int4 NOT NULL);
    CREATE TABLE account (id bytea PRIMARY KEY, slot int4 NOT NULL);
    CREATE TABLE account_place (account bytea NOT NULL, key bytea NOT NULL, slot int4 NOT NULL, PRIMARY KEY (account, key));
"""
TABLES = ["challenge", "enrolled_key", "used_digest", "account", "account_place"]


def slot(identifier):
    """The slot of a key, a digest or an account."""
    return int.from_bytes(hashlib.sha256(identifier).digest()[:8], "big") % SLOTS


def home(clusters, identifier):
    """The name of the cluster that has an entry."""
    return clusters.map[slot(identifier)]


class Cluster:
    """A cluster on a socket. Its settings are PostgreSQL's defaults: fsync and synchronous_commit are on."""

    def __init__(self, folder, name, schema):
        programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[-2]))
        self.programs = programs[-1] if programs else os.path.dirname(shutil.which("initdb") or "")
        self.folder = folder / name
        self.folder.mkdir()
        self.user = []
        if os.geteuid() == 0:
            # PostgreSQL refuses to run as root.
            shutil.chown(self.folder, "postgres", "postgres")
            self.user = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"]
        self.role = "postgres" if self.user else pwd.getpwuid(os.geteuid()).pw_name
        self.run("initdb", "-D", self.folder / "data", "-A", "trust", "-U", self.role, "-E", "UTF8", "--locale=C")
        self.start()
        with self.connect() as connection, connection.cursor() as cursor:
            cursor.execute(schema)

    def run(self, program, *arguments):
        command = [*self.user, f"{self.programs}/{program}", *map(str, arguments)]
        subprocess.run(command, cwd=self.folder, check=True, stdout=subprocess.DEVNULL)

    def start(self):
        options = f"-c listen_addresses='' -c unix_socket_directories={self.folder}"
        self.run("pg_ctl", "-D", self.folder / "data", "-l", self.folder / "log", "-w", "-o", options, "start")

    def stop(self, mode="fast"):
        self.run("pg_ctl", "-D", self.folder / "data", "-w", "-m", mode, "stop")

    def kill(self):
        """Stops without a checkpoint: the next start recovers from the write-ahead log."""
        self.stop("immediate")

    def connect(self):
        return psycopg2.connect(host=str(self.folder), user=self.role, dbname="postgres")


class Clusters:
    """Some clusters, the first of which has the first slots, and so on."""

    def __init__(self, names):
        self.names = names
        self.map = [names[number * len(names) // SLOTS] for number in range(SLOTS)]

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="assay-scale-"))
        self.folder.chmod(0o755)
        self.clusters = {}
        try:
            for name in self.names:
                self.clusters[name] = Cluster(self.folder, name, SCHEMA)
                with self[name].connect() as connection, connection.cursor() as cursor:
                    for number, place in enumerate(self.map):
                        cursor.execute("INSERT INTO slot (id, is_here) VALUES (%s, %s)", (number, place == name))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for cluster in self.clusters.values():
            cluster.stop("immediate")
        shutil.rmtree(self.folder)

    def __getitem__(self, name):
        return self.clusters[name]

    def move(self, number, source, target):
        """Moves a slot. Only this slot's transactions wait, from the first statement to the new map.

        The source gives the slot up before the target has it: after a crash in between no cluster has it, which is an outage,
        and the copy is made again from the source's rows, which are deleted last."""
        with self[source].connect() as leaving, leaving.cursor() as cursor:
            # Waits for transactions that have the slot, which lock this row FOR SHARE.
            cursor.execute("UPDATE slot SET is_here = false WHERE id = %s", (number,))
        with self[source].connect() as reading, self[target].connect() as writing:
            for table in TABLES:
                with reading.cursor() as source_rows, writing.cursor() as target_rows:
                    source_rows.execute(f"SELECT * FROM {table} WHERE slot = %s", (number,))
                    target_rows.execute(f"DELETE FROM {table} WHERE slot = %s", (number,))
                    for row in source_rows:
                        places = ", ".join(["%s"] * len(row))
                        target_rows.execute(f"INSERT INTO {table} VALUES ({places})", row)
            with writing.cursor() as cursor:
                cursor.execute("UPDATE slot SET is_here = true WHERE id = %s", (number,))
        self.map[number] = target
        with self[source].connect() as leaving, leaving.cursor() as cursor:
            for table in TABLES:
                cursor.execute(f"DELETE FROM {table} WHERE slot = %s", (number,))

    def placed(self, query):
        """The first column of all clusters' rows, with the cluster's name."""
        rows = []
        for name in self.names:
            with self[name].connect() as connection, connection.cursor() as cursor:
                cursor.execute(query)
                rows += [(bytes(row[0]), name) for row in cursor.fetchall()]
        return rows

    def all(self, query):
        """The rows of all clusters."""
        rows = []
        for name in self.names:
            with self[name].connect() as connection, connection.cursor() as cursor:
                cursor.execute(query)
                rows += cursor.fetchall()
        return rows
