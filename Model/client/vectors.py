"""Writes the vectors of the kits' state machines, and walks them at random.

    vectors.py FOLDER           writes FOLDER/enrolment.ndjson, tokens.ndjson and integrity.ndjson
    vectors.py --check FOLDER   fails if they differ
    vectors.py --walk STEPS     walks at random, and fails where a rule of the kits is broken

A line is one vector: `settings` and `steps`, from an empty storage. A step is an event with its time (`now`, milliseconds)
and `jitter`, the `actions` that must follow, and in `record` those fields of the record that it has changed. A step with
`restart` ends the process: another one begins with these settings and the record.
"""

import copy
import json
import random
import sys
from pathlib import Path

from enrolment import EMPTY, Enrolment
from integrity import Integrity
from tokens import Tokens

NOW = 1_800_000_000_000
START = {"type": "start", "app": "1.0", "system": "17.0", "installation": "i1"}


class Recorder:
    """One machine, and what was done with it."""

    def __init__(self, name, make, settings=None):
        self.make, self.settings = make, settings or {}
        self.vector = {"name": name, "settings": self.settings, "steps": []}
        self.now = NOW
        self.stored = {}
        self.restart()

    def restart(self, settings=None):
        """The process ends, and begins again with what was stored."""
        self.settings = dict(self.settings, **(settings or {}))
        self.machine = self.make(self.settings, copy.deepcopy(self.stored) or None)

    def step(self, type, after=0, jitter=0, **fields):
        self.now += after
        event = dict(type=type, **fields)
        actions = self.machine.step(copy.deepcopy(event), self.now, jitter)
        step = {"now": self.now, "jitter": jitter, "event": event, "actions": copy.deepcopy(actions)}
        record = copy.deepcopy(getattr(self.machine, "record", {}))
        changed = {name: value for name, value in record.items() if self.stored.get(name, EMPTY[name]) != value}
        if changed:
            step["record"] = changed
        self.stored = record
        self.vector["steps"].append(step)
        return actions

    def again(self, **settings):
        """A step of the vector at which its reader makes the machine anew from the record."""
        self.restart(settings)
        self.vector["steps"].append({"restart": self.settings})


def make(kind):
    return {"enrolment": lambda s, r: Enrolment(s, r), "tokens": lambda s, r: Tokens(),
            "integrity": lambda s, r: Integrity()}[kind]


def drawn(random_source, pending, machine, kind):
    """An answer to a call under way, of every sort, or None."""
    if not pending:
        return None
    call = pending.pop(random_source.randrange(len(pending)))
    pick = random_source.choice
    failure = pick([
        {"cause": "network", "sent": False}, {"cause": "network", "sent": True},
        {"cause": "unavailable", "code": "503", "retryAfter": pick([1, 30, 100_000])},
        {"cause": "limited", "code": "challenge-limit", "retryAfter": 5},
        {"cause": "answer", "code": "not-json", "sent": True}])
    clock = {} if random_source.random() < 0.7 else {"date": pick([0, 1, -3600, 90_000_000]) * 1000 + NOW}
    good = random_source.random() < 0.6
    action, turn, op = call["action"], call.get("turn"), call.get("op")
    if kind == "enrolment":
        serial = machine.turn * 1000 + random_source.randrange(1000)
        if action == "getChallenge":
            if good:
                return dict(type="challenge", turn=turn, value=f"c{serial}", life=pick([1, 60, 300, 10**7]), **clock)
            return dict(type="callFailed", call="challenge", turn=turn, **failure, **clock,
                        **({"remedy": "contact-support"} if random_source.random() < 0.1 else {}))
        if action in ("makeKey", "attest"):
            if good:
                return (dict(type="keyMade", turn=turn, key=f"k{serial}") if action == "makeKey"
                        else dict(type="attested", turn=turn, evidence=f"e{serial}"))
            return dict(type="platformFailed", call=action, turn=turn, code=pick(["dc:0", "dc:3", "keystore:16"]),
                        **{"class": pick(["later", "later", "key-gone", "again", "locked", "bug", "unsupported"])})
        if action == "submit":
            if good:
                return dict(type="enrolled", turn=turn, **clock)
            if random_source.random() < 0.5:
                return dict(type="callFailed", call="submit", turn=turn, **failure, **clock)
            return dict(type="refused", turn=turn, remedy=pick(REMEDIES), code="some-code", **clock)
        if action == "getRequestChallenge":
            if good:
                return dict(type="requestChallenge", op=op, value=f"n{serial}", **clock)
            failure.pop("sent", None)
            return dict(type="requestChallengeFailed", op=op, **failure, **clock)
        if action == "sign":
            if good:
                return dict(type="signed", op=op)
            return dict(type="signFailed", op=op, code="dc:2",
                        **{"class": pick(["key-gone", "again", "later", "locked", "bug", "unsupported"])})
        if action in ("send", "sendWithoutEvidence"):
            if good:
                return dict(type="judged", op=op, **clock)
            if random_source.random() < 0.4:
                return dict(type="sendFailed", op=op, **failure, **clock)
            return dict(type="rejected", op=op, remedy=pick(REMEDIES), code="some-code", **clock)
    elif kind == "tokens":
        if action == "fetch":
            if good:
                return dict(type="fetched", turn=turn, token=f"t{turn}", life=pick([0, 4, 60, 300, 3600, 10**9]))
            failure.pop("sent", None)
            return dict(type="fetchFailed", turn=turn, **failure)
        if action == "use":
            return dict(type="done" if good else "refused", op=op)
    else:
        error = {"class": pick(["later", "later", "provider-invalid", "no-play-services", "failed"]), "code": "play-integrity:-3"}
        if action == "prepare":
            return dict(type="prepared", turn=turn, provider=f"p{turn}") if good else dict(
                type="prepareFailed", turn=turn, **error)
        if action == "request":
            return dict(type="token", op=op) if good else dict(type="requestFailed", op=op, **error)
    return None


REMEDIES = ["retry", "new-challenge", "new-attestation", "update-app", "update-system", "contact-support", "none"]


def walk(kind, seed, steps, recorder=None, check=None):
    """Random events that a driver can send, in a world where everything can fail."""
    source = random.Random(f"{kind} {seed}")
    settings = {"process": "p1"}
    if kind == "enrolment" and source.random() < 0.4:
        settings["keyHasChallenge"] = True
    r = recorder or Recorder(f"walk {seed}", make(kind), settings)
    if recorder is None:
        r.settings = r.vector["settings"] = settings
        r.restart()
    pending, number, other = [], 0, None
    start = dict(START)
    if kind == "enrolment":
        r.step(**start)
    for _ in range(steps):
        chance = source.random()
        jitter = source.randrange(1001)
        after = source.choice([0, 0, 0, 10, 700, 3000, 30_000, 400_000, 5_000_000, 90_000_000])
        event = None
        if chance < 0.62:
            event = drawn(source, pending, r.machine, kind)
        elif chance < 0.64 and kind == "enrolment":
            if source.random() < 0.2:
                start = dict(start, **source.choice([{"app": "1.1"}, {"system": "18.0"}, {"installation": f"i{source.randrange(3)}"},
                                                     {"unsupported": {"reason": "extension"}}]))
            r.again()
            pending.clear()
            if check:
                check.restarted()
            event = dict(start)
            start.pop("unsupported", None)
        elif chance < 0.66 and kind == "enrolment":
            # Another process has gone on with the same record, or has lost it.
            record = dict(r.stored, owner="p2", leaseEnds=r.now + source.choice([-1, 60_000, 10**9]))
            record.update(source.choice([{}, {"phase": "keyMade", "key": f"other{number}", "challenge": None, "evidence": None},
                                         {"phase": "enrolled", "key": f"other{number}", "owner": None, "evidence": None}, EMPTY]))
            event = dict(type="reload", record=record)
        elif chance < 0.67 and pending:
            pending.pop(source.randrange(len(pending)))     # an answer that never comes: the driver's time-out cancels
        elif chance < 0.70:
            event = dict(type="forget") if kind != "integrity" and source.random() < 0.3 else dict(type="prefetch")
        elif chance < 0.72 and kind == "enrolment" and pending and pending[-1]["action"] in ("makeKey", "attest", "submit"):
            pending.pop()
            event = dict(type="storageFailed")
        elif chance < 0.78 and kind != "tokens":
            event = dict(type="wake", **({"network": True} if source.random() < 0.3 else {}))
            if kind == "integrity" and source.random() < 0.1:
                event["repaired"] = True
        elif chance < 0.74 and kind == "tokens":
            event = dict(type="network")
        elif chance < 0.80 and number:
            event = dict(type="done" if kind == "tokens" else "cancel", op=f"r{source.randrange(number)}")
        if event is None:
            event = dict(type="need", op=f"r{number}")
            if kind == "enrolment" and source.random() < 0.2:
                event["fresh"] = True
            number += 1
        if source.random() < 0.01:
            after = source.choice([-40_000, -3_600_000, -100_000_000])
        actions = r.step(after=after, jitter=jitter, **event)
        pending += [a for a in actions if a["action"] not in ("fail", "done", "wait", "report", "deleteKey")
                    and not (a["action"] == "send" and kind == "integrity")]
        if check:
            check.after(event, actions, r)
    if check:
        # Everything under way is answered with success: each request must end.
        for _ in range(1000):
            if not r.machine.ops:
                break
            event = None
            while event is None and pending:
                event = success(pending.pop(0), kind, r.machine)
            if event is None and kind == "tokens":
                event = dict(type="done", op=next(iter(r.machine.ops)))
            lost = [op for op in r.machine.ops if op not in [w["id"] for w in r.machine.waiting()]]
            if event is None and lost:
                event = dict(type="cancel", op=lost[0])     # its answer never came
            if event is None and (kind == "integrity" and r.machine.preparing or kind == "enrolment" and r.machine.doing):
                break   # the answer to the one call under way never comes: time-outs are the driver's
            if event is None:
                event = dict(type="wake")
            actions = r.step(after=0 if event["type"] != "wake" else 100_000, **event)
            pending += [a for a in actions if a["action"] not in ("fail", "done", "wait", "report", "deleteKey")
                        and not (a["action"] == "send" and kind == "integrity")]
            check.after(event, actions, r)
        else:
            raise AssertionError(f"{kind} {seed}: requests without end: {r.machine.ops}")
    return r.vector


def success(call, kind, machine):
    source = random.Random(0)
    for _ in range(200):
        event = drawn(source, [dict(call)], machine, kind)
        if event and event["type"] in ("challenge", "keyMade", "attested", "enrolled", "requestChallenge", "signed", "judged",
                                       "fetched", "done", "prepared", "token") and event.get("life", 300) == 300:
            return event
    return None


class Rules:
    """What holds on every walk of an enrolment."""

    def __init__(self, kind):
        self.kind = kind
        self.attested, self.submitted, self.judged, self.sends = {}, None, set(), {}
        self.prepared = []

    def restarted(self):
        self.sends = {}

    def after(self, event, actions, r):
        if self.kind == "enrolment" and event["type"] == "attested":
            key = r.machine.record["key"]
            if any(a["action"] == "submit" for a in actions):
                self.attested[key] = self.attested.get(key, 0) + 1
                assert self.attested[key] == 1, f"{key} is attested twice"
        if event["type"] == "enrolled" or event.get("remedy", "retry") != "retry" or event.get("sent"):
            self.judged.add(self.submitted)
        for a in actions:
            if a["action"] == "makeKey":
                day = [t for t in r.machine.record["keysMade"] if abs(r.now - t) < 24 * 3600_000]
                assert r.now in day and len(day) <= 3, "more keys a day than allowed"
            if a["action"] == "submit":
                assert r.machine.record["phase"] == "submitted" and r.machine.record["evidence"] is not None
                assert a["challenge"] not in self.judged, "a challenge that the server has used is sent again"
                self.submitted = a["challenge"]
            if a["action"] in ("send", "sendWithoutEvidence") and self.kind == "enrolment":
                self.sends[a["op"]] = self.sends.get(a["op"], 0) + 1
                assert self.sends[a["op"]] <= 8, f"{a['op']} is sent again and again"
            if a["action"] == "sign":
                assert a["key"] == r.machine.record["key"], "a signature by a key that is no more"
            if a["action"] == "prepare":
                self.prepared = [t for t in self.prepared if 0 <= r.now - t < 60_000] + [r.now]
                assert len(self.prepared) <= 5, "more preparations a minute than Google allows"
        if self.kind == "enrolment":
            record, machine = r.machine.record, r.machine
            assert (record["key"] is None) == (record["phase"] == "new"), record
            assert record["phase"] != "attested" or record["evidence"], record
            if machine.doing is None and machine.waiting():
                assert record["owner"] not in (None, machine.process), f"requests wait for nothing: {record}"
        if self.kind == "tokens" and not r.machine.fetching:
            assert not r.machine.waiting(), "requests wait for no fetch"


def main(arguments):
    if arguments[:1] == ["--walk"]:
        steps = int(arguments[1])
        seed = 0
        while steps > 0:
            for kind in ("enrolment", "tokens", "integrity"):
                walk(kind, seed, 200, check=Rules(kind))
                steps -= 200
            seed += 1
        print(f"{seed} walks of each machine, seeds 0 to {seed - 1}: every request ended")
        return 0
    check = arguments[:1] == ["--check"]
    if len(arguments) != (2 if check else 1):
        sys.stderr.write(__doc__)
        return 64
    from scenarios import scenarios
    folder, different = Path(arguments[-1]), []
    for kind in ("enrolment", "tokens", "integrity"):
        vectors = scenarios(kind) + [walk(kind, seed, 60) for seed in range(40 if kind == "enrolment" else 15)]
        text = "".join(json.dumps(vector, separators=(",", ":")) + "\n" for vector in vectors)
        path = folder / f"{kind}.ndjson"
        if not check:
            folder.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            different.append(str(path))
    for path in different:
        sys.stderr.write(f"{path} is not what the model gives: write it anew with Model/client/vectors.py\n")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
