"""The state machine of the kits for apps: enrol, sign, renew, recover. Each kit has the same as a pure function, and must
give the same actions for the vectors that `vectors.py` writes from this.

One `Enrolment` is one key of one account in one app. It knows no clock and no random source: each event comes with
`now` (milliseconds since 1970, the device's clock) and `jitter` (0 to 1000, drawn by the driver). The driver stores
`record` whenever it differs after an event, before it executes the actions in their order. When it cannot be stored,
the driver executes all of them but `makeKey`, `attest`, `submit` and `deleteKey`, and sends `storageFailed` if one of
the first three was among them.
"""

SECOND = 1000
DAY = 24 * 3600 * SECOND

# A challenge within this of its end is not used any more: the way to the server takes time.
CHALLENGE_MARGIN = 10 * SECOND
# How long another process may work on the record before its work counts as lost.
LEASE = 90 * SECOND
# The clock of a server that differs by less is not learned: an answer was under way for a moment.
CLOCK_TOLERANCE = 5 * SECOND

# What the server says that the client can do. The first three: other evidence may help.
HALTING = ["update-app", "update-system", "contact-support", "none"]


def backoff(failures, first, limit, jitter):
    """Exponential, of which the upper half is random: between d/2 and d."""
    delay = min(first << min(failures - 1, 20), limit)
    return delay // 2 + delay // 2 * jitter // 1000


class Enrolment:
    """`key_has_challenge`: whether a key is made over its challenge, as on Android. Otherwise (App Attest) a key that
    was not attested yet can be attested over another challenge."""

    def __init__(self, settings, record=None):
        self.key_has_challenge = settings.get("keyHasChallenge", False)
        self.keys_a_day = settings.get("keysADay", 3)
        self.process = settings.get("process", "p1")
        self.record = dict(EMPTY, **(record or {}))
        self.unsupported = None # why this process cannot attest: {"reason", "code"}
        self.wanted = False     # whether a request or the app has asked for a key since the last one was enrolled
        self.app = self.system = None
        self.turn = 0           # of the call under way; answers to earlier ones are ignored
        self.doing = None       # "challenge", "makeKey", "attest", "submit"
        self.rekeyed = False    # whether this enrolment has replaced its key already
        self.ops = {}           # requests under way, in the order of their arrival
        self.actions = []

    # MARK: Events

    def step(self, event, now, jitter=0):
        self.actions = []
        self.now = now
        self.jitter = jitter
        self.forget_times()
        before = (self.record["phase"], self.record["halt"])
        getattr(self, "on_" + event["type"])(event)
        if (self.record["phase"], self.record["halt"]) != before:
            self.act("report", phase=self.record["phase"], halt=self.record["halt"])
        return self.actions

    def on_start(self, e):
        """A process begins. `installation` is a mark that a reinstallation changes, and keys do not survive."""
        self.app, self.system = e["app"], e["system"]
        self.unsupported = e.get("unsupported")
        r = self.record
        if r["installation"] not in (None, e["installation"]):
            self.discard()
            r.update(halt=None, notBefore=0, failures=0)
        r["installation"] = e["installation"]
        if r["halt"] and (r["haltApp"] != self.app or r["haltSystem"] != self.system):
            r.update(halt=None, notBefore=0, failures=0)

    def on_need(self, e):
        """The app has a request to be judged. `fresh`: each signature of it takes a new challenge of the server."""
        op = {"id": e["op"], "state": "waiting", "fresh": e.get("fresh", False), "key": None, "nonce": None,
              "retried": False, "challenged": False, "rekeyed": False}
        self.ops[op["id"]] = op
        if self.record["phase"] != "enrolled":
            self.wanted = True
        self.proceed(op)

    def on_cancel(self, e):
        """The app waits no more. A call under way goes on: its result is of use to the next request."""
        self.ops.pop(e["op"], None)

    def on_prefetch(self, e):
        """The app wants to be enrolled before it has a request."""
        self.wanted = True
        self.enrol_if_wanted()

    def on_wake(self, e):
        """The time of the last `wait` has come, or the network is back."""
        if e.get("network"):
            self.network_is_back()
        self.serve_waiting()
        self.enrol_if_wanted()

    def on_reload(self, e):
        """Another process has changed the record in the storage. Calls under way count no more."""
        self.record = dict(EMPTY, **e["record"])
        self.turn += 1
        self.doing = None
        self.serve_waiting()

    def on_storageFailed(self, e):
        """The call under way was not made, because what it does could not be stored first."""
        r = self.record
        if self.doing == "makeKey":
            r["keysMade"] = r["keysMade"][:-1]
        elif self.doing == "attest":
            r["phase"] = "keyMade"
        elif self.doing == "submit":
            r["phase"] = "attested"
        self.turn += 1
        self.fail_enrolment("storage")

    # Answers to calls of the enrolment carry the `turn` of the call.

    def on_challenge(self, e):
        if self.stale(e, "challenge"):
            return
        self.learn_clock(e)
        life = min(max(e["life"], 20), 24 * 3600)
        self.record.update(challenge=e["value"], challengeFrom=self.now, challengeEnds=self.now + life * SECOND)
        self.enrol()

    def on_keyMade(self, e):
        if self.stale(e, "makeKey"):
            return
        self.record.update(phase="keyMade", key=e["key"])
        self.enrol()

    def on_attested(self, e):
        if self.stale(e, "attest"):
            return
        self.record.update(phase="attested", evidence=e["evidence"])
        self.enrol()

    def on_platformFailed(self, e):
        """`makeKey` or `attest` failed with a class of errors; `code` is the platform's, for the app's telemetry."""
        if self.stale(e, e["call"]):
            return
        kind, r = e["class"], self.record
        if r["phase"] == "attesting":
            r["phase"] = "keyMade"
        if kind == "unsupported":
            self.unsupported = {"reason": "unsupported", "code": e["code"]}
            r.update(owner=None, leaseEnds=0)
            return self.serve_waiting()
        if kind == "key-gone" and e["call"] == "attest":
            # The challenge was never sent, and serves the next key too.
            self.act("deleteKey", key=r["key"])
            r.update(phase="new", key=None, cause="platform", code=e["code"])
            if not self.rekeyed:
                self.rekeyed = True
                return self.enrol()
        self.fail_enrolment("platform", code=e["code"], platform=True)

    def on_callFailed(self, e):
        """The server gave no verdict on `getChallenge` or `submit`. `sent`: it may have judged what it got."""
        if self.stale(e, e["call"]):
            return
        self.learn_clock(e)
        if e.get("remedy") in HALTING:
            return self.halt(e["remedy"])
        if e["call"] == "submit" and not e.get("sent"):
            self.record["phase"] = "attested"
        self.fail_enrolment(e["cause"], code=e.get("code"), retry_after=e.get("retryAfter"))

    def on_enrolled(self, e):
        if self.stale(e, "submit"):
            return
        self.learn_clock(e)
        self.confirm()
        self.serve_waiting()

    def on_refused(self, e):
        """The server rejected the attestation: with a remedy."""
        if self.stale(e, "submit"):
            return
        self.learn_clock(e)
        if e["remedy"] in HALTING:
            return self.halt(e["remedy"])
        if e["remedy"] == "retry":
            # A rejection uses nothing up.
            self.record["phase"] = "attested"
            return self.fail_enrolment("refused", code=e.get("code"), retry_after=e.get("retryAfter"))
        self.discard()
        if self.rekeyed:
            return self.fail_enrolment("refused", code=e.get("code"))
        self.rekeyed = True
        self.enrol()

    # Answers to calls of a request carry its `op`.

    def on_requestChallenge(self, e):
        op = self.expect(e, "challenge")
        if op:
            self.learn_clock(e)
            op["nonce"] = e["value"]
            self.sign(op)

    def on_requestChallengeFailed(self, e):
        op = self.expect(e, "challenge")
        if op:
            self.learn_clock(e)
            self.fail(op, e["cause"], code=e.get("code"), remedy=e.get("remedy"), retry_after=e.get("retryAfter"))

    def on_signed(self, e):
        op = self.expect(e, "signing")
        if op:
            op["state"] = "sent"
            self.act("send", op=op["id"])

    def on_signFailed(self, e):
        op = self.expect(e, "signing")
        if not op:
            return
        if e["class"] == "key-gone":
            self.key_gone(op, code=e["code"])
        elif e["class"] == "again" and not op["retried"]:
            op["retried"] = True
            self.sign(op)
        elif e["class"] == "unsupported":
            self.unsupported = {"reason": "unsupported", "code": e["code"]}
            self.proceed(op)
        else:
            self.fail(op, "platform", code=e["code"])

    def on_judged(self, e):
        """The request was accepted: whatever the app's backend answered, its judge let it pass."""
        op = self.expect(e, "sent")
        if not op:
            return
        self.learn_clock(e)
        if op["key"] is not None and op["key"] == self.record["key"] and self.record["phase"] == "submitted":
            self.confirm()
        self.finish(op, "done")
        self.serve_waiting()

    def on_rejected(self, e):
        """The judge rejected the request, and nothing was executed."""
        op = self.expect(e, "sent")
        if not op:
            return
        self.learn_clock(e)
        self.network_is_back()
        remedy = e["remedy"]
        if op["key"] is None and remedy not in HALTING:
            remedy = "contact-support"      # without evidence no other evidence can be made
        if remedy == "retry" and not op["retried"]:
            op["retried"] = True
            self.sign_anew(op)
        elif remedy == "new-challenge" and not op["challenged"]:
            op["challenged"] = True
            self.challenge(op)
        elif remedy == "new-attestation":
            self.key_gone(op, code=e.get("code"), remedy=remedy)
        else:
            self.fail(op, "refused", code=e.get("code"), remedy=remedy, retry_after=e.get("retryAfter"))

    def on_sendFailed(self, e):
        """No verdict: an outage, or no answer. The app alone knows whether the request may be sent again."""
        op = self.expect(e, "sent")
        if op:
            self.learn_clock(e)
            self.fail(op, e["cause"], code=e.get("code"), retry_after=e.get("retryAfter"), sent=e.get("sent", False))

    def on_forget(self, e):
        """The account is deleted: so is its key. What is under way fails."""
        for op in list(self.ops.values()):
            self.fail(op, "forgotten")
        self.discard()
        made = self.record["keysMade"]
        self.record = dict(EMPTY, installation=self.record["installation"], keysMade=made)
        self.turn += 1
        self.doing = None
        self.wanted = self.rekeyed = False

    # MARK: Requests

    def ready(self):
        """The key that can sign, or None. A key whose enrolment was not answered may be enrolled: a request tells."""
        return self.record["key"] if self.record["phase"] in ("submitted", "enrolled") and self.doing is None else None

    def waiting(self):
        return [op for op in self.ops.values() if op["state"] == "waiting"]

    def blocked(self):
        """Whether no enrolment may begin now."""
        r = self.record
        return self.unsupported is not None or r["halt"] is not None or self.now < r["notBefore"] or self.leased()

    def leased(self):
        r = self.record
        return r["owner"] not in (None, self.process) and self.now < r["leaseEnds"] <= self.now + LEASE

    def proceed(self, op):
        r = self.record
        if self.unsupported is not None:
            self.send_without_evidence(op, self.unsupported["reason"], self.unsupported.get("code"))
        elif self.ready() is not None:
            self.sign_anew(op)
        else:
            op["state"] = "waiting"
            if self.doing is not None:
                return
            if r["halt"] is not None:
                self.fail(op, "halted", code=r["cause"], remedy=r["halt"])
            elif self.now < r["notBefore"] and r["cause"] == "platform" and r["failures"] >= 3:
                self.send_without_evidence(op, "failed", r["code"])
            elif self.now < r["notBefore"]:
                self.fail(op, r["cause"], code=r["code"], retry_after=ceil_seconds(r["notBefore"] - self.now))
            elif self.leased():
                self.act("wait", until=r["leaseEnds"])
            else:
                self.enrol()

    def send_without_evidence(self, op, reason, code):
        """The server's policy decides what that is worth."""
        op.update(state="sent", key=None)
        self.act("sendWithoutEvidence", op=op["id"], reason=reason, code=code)

    def serve_waiting(self):
        for op in self.waiting():
            if op["id"] in self.ops and op["state"] == "waiting":
                self.proceed(op)

    def sign_anew(self, op):
        """A signature after which the server may have used the last one's challenge up."""
        op["nonce"] = None
        if op["fresh"] or op["challenged"]:
            self.challenge(op)
        else:
            self.sign(op)

    def challenge(self, op):
        op["state"] = "challenge"
        self.act("getRequestChallenge", op=op["id"])

    def sign(self, op):
        key = self.ready()
        if key is None:
            return self.proceed(op)     # the key went away while the challenge came
        op.update(state="signing", key=key)
        # Rounded down: servers allow for less in the future than in the past.
        self.act("sign", op=op["id"], key=key, created=(self.now + self.record["offset"]) // SECOND, nonce=op["nonce"])

    def key_gone(self, op, code, remedy=None):
        """The key with which `op` was signed is no more, on the device or for the server."""
        if op["key"] == self.record["key"] and self.doing is None:
            if op["rekeyed"]:
                return self.fail(op, "refused" if remedy else "platform", code=code, remedy=remedy)
            self.discard()
            self.rekeyed = self.wanted = True
            if remedy is None:
                self.record.update(cause="platform", code=code)
        elif op["rekeyed"]:
            return self.fail(op, "refused" if remedy else "platform", code=code, remedy=remedy)
        op["rekeyed"] = True
        self.proceed(op)

    # MARK: Enrolment

    def enrol_if_wanted(self):
        if self.wanted and self.doing is None and self.ready() is None and not self.blocked():
            self.enrol()

    def network_is_back(self):
        if self.record["cause"] == "network" and self.record["halt"] is None:
            self.record["notBefore"] = 0

    def forget_times(self):
        """Ends what has ended, and times that only a clock which was set can have left."""
        r = self.record
        if not self.now < r["notBefore"] <= self.now + DAY:
            r["notBefore"] = 0
            if r["halt"] is not None:
                r.update(halt=None, failures=0)

    def enrol(self):
        """The next call of the enrolment."""
        r = self.record
        if not (r["challenge"] is not None and r["challengeFrom"] <= self.now < r["challengeEnds"] - CHALLENGE_MARGIN):
            if r["phase"] == "attested" or (self.key_has_challenge and r["phase"] != "new"):
                self.discard()
            r.update(challenge=None, challengeFrom=0, challengeEnds=0)
            return self.call("challenge", "getChallenge")
        if r["phase"] == "new":
            # A clock that was set back does not forget keys.
            made = [t for t in r["keysMade"] if abs(self.now - t) < DAY]
            if len(made) >= self.keys_a_day:
                r["notBefore"] = min(made[-self.keys_a_day], self.now) + DAY
                if r["cause"] == "platform":
                    # The keys died on the device: requests go without evidence, and say so.
                    r["failures"] = max(r["failures"], 2)
                    return self.fail_enrolment("platform", code=r["code"], keep_time=True)
                return self.fail_enrolment("too-many-keys", keep_time=True)
            r["keysMade"] = made + [self.now]
            self.call("makeKey", "makeKey", challenge=r["challenge"])
        elif r["phase"] in ("keyMade", "attesting"):
            r["phase"] = "attesting"
            self.call("attest", "attest", key=r["key"], challenge=r["challenge"])
        else:
            evidence, r["phase"] = r["evidence"], "submitted"
            self.call("submit", "submit", key=r["key"], challenge=r["challenge"], evidence=evidence)

    def call(self, doing, action, **arguments):
        self.turn += 1
        self.doing = doing
        self.record.update(owner=self.process, leaseEnds=self.now + LEASE)
        self.act(action, turn=self.turn, **arguments)

    def stale(self, e, doing):
        if self.doing is None or e["turn"] != self.turn or self.doing != doing:
            return True
        self.doing = None
        return False

    def confirm(self):
        self.record.update(phase="enrolled", challenge=None, challengeFrom=0, challengeEnds=0, evidence=None, failures=0,
                           notBefore=0, cause=None, code=None, owner=None, leaseEnds=0)
        self.rekeyed = self.wanted = False

    def discard(self):
        """Ends the key. The next one takes a new challenge: this one may have been used."""
        if self.record["key"] is not None:
            self.act("deleteKey", key=self.record["key"])
        self.record.update(phase="new", key=None, evidence=None, challenge=None, challengeFrom=0, challengeEnds=0)

    def halt(self, remedy):
        """Only another app, another system or a day may change the verdict."""
        self.discard()
        self.record.update(halt=remedy, haltApp=self.app, haltSystem=self.system, notBefore=self.now + DAY,
                           cause="refused", code=None, owner=None, leaseEnds=0)
        self.end_enrolment()

    def fail_enrolment(self, cause, code=None, retry_after=None, platform=False, keep_time=False):
        r = self.record
        r["failures"] += 1
        if not keep_time:
            if platform and r["failures"] > 3:
                delay = backoff(r["failures"] - 3, 900 * SECOND, 4 * 3600 * SECOND, self.jitter)
            elif platform:
                delay = backoff(r["failures"], 5 * SECOND, 20 * SECOND, self.jitter)
            else:
                delay = backoff(r["failures"], 2 * SECOND, 300 * SECOND, self.jitter)
            if retry_after is not None:
                delay = max(delay, min(retry_after, 24 * 3600) * SECOND)
            r["notBefore"] = self.now + delay
        r.update(cause=cause, code=code, owner=None, leaseEnds=0)
        self.end_enrolment()

    def end_enrolment(self):
        self.rekeyed = False
        self.doing = None
        if self.record["halt"] is None:
            self.act("wait", until=self.record["notBefore"])
        self.serve_waiting()

    def learn_clock(self, e):
        date = e.get("date")
        if date is not None and abs(date - (self.now + self.record["offset"])) > CLOCK_TOLERANCE:
            self.record["offset"] = max(-DAY, min(DAY, date - self.now))

    # MARK: Results

    def expect(self, e, state):
        op = self.ops.get(e["op"])
        return op if op is not None and op["state"] == state else None

    def finish(self, op, action, **arguments):
        del self.ops[op["id"]]
        self.act(action, op=op["id"], **arguments)

    def fail(self, op, cause, code=None, remedy=None, retry_after=None, sent=False):
        self.finish(op, "fail", cause=cause, code=code, remedy=remedy, retryAfter=retry_after, sent=sent)

    def act(self, action, **arguments):
        self.actions.append(dict(action=action, **{k: v for k, v in arguments.items() if v is not None and v is not False}))


# What is stored. `keysMade`: times of the last day's keys. `evidence`: the attestation, until the server has answered.
EMPTY = {"phase": "new", "key": None, "challenge": None, "challengeFrom": 0, "challengeEnds": 0, "evidence": None,
         "keysMade": [], "failures": 0, "notBefore": 0, "cause": None, "code": None, "halt": None, "haltApp": None,
         "haltSystem": None, "offset": 0, "installation": None, "owner": None, "leaseEnds": 0}


def ceil_seconds(milliseconds):
    return -(-milliseconds // SECOND)
