"""The provider of standard tokens of Play Integrity in a kit for Android: prepared once, prepared again when Google says
that it is invalid, and never more often than Google allows. Classes of Google's error codes: `later`,
`provider-invalid`, `no-play-services` (the user must install or update something), `failed` (tampering, or a fault of
the app)."""

from enrolment import DAY, SECOND, backoff

# Google allows five preparations a minute; one less, so that another process of the app has one.
PREPARATIONS = 4
MINUTE = 60 * SECOND


class Integrity:
    def __init__(self):
        self.provider = None
        self.turn = 0           # of the preparation under way; answers to earlier ones are ignored
        self.preparing = False
        self.prepared_at = []
        self.failures = self.not_before = 0
        self.reason = self.code = None      # why requests go without evidence until `not_before`
        self.ops = {}
        self.actions = []

    def step(self, event, now, jitter=0):
        self.actions = []
        self.now = now
        self.jitter = jitter
        if not now < self.not_before <= now + DAY:
            self.not_before = 0
            self.reason = self.code = None
        getattr(self, "on_" + event["type"])(event)
        return self.actions

    def on_need(self, e):
        self.ops[e["op"]] = op = {"id": e["op"], "provider": None, "renewed": False}
        self.proceed(op)

    def on_prefetch(self, e):
        if self.provider is None and not self.preparing and self.now >= self.not_before:
            self.prepare()

    def on_cancel(self, e):
        self.ops.pop(e["op"], None)

    def on_wake(self, e):
        """The time of the last `wait` has come; the network is back (`network`), or the user has repaired what a dialog of
        Google's named (`repaired`)."""
        if e.get("network") or e.get("repaired"):
            self.not_before = 0
            self.reason = self.code = None
        if e.get("repaired"):
            self.provider = None
        self.serve_waiting()

    def on_prepared(self, e):
        if not self.stale(e):
            self.provider = e["provider"]
            self.serve_waiting()

    def on_prepareFailed(self, e):
        if not self.stale(e):
            self.failed(e)

    def on_token(self, e):
        op = self.ops.pop(e["op"], None)
        if op is not None and op["provider"] is not None:
            self.failures = 0
            self.act("send", op=op["id"])

    def on_requestFailed(self, e):
        op = self.ops.get(e["op"])
        if op is None or op["provider"] is None:
            return
        used, op["provider"] = op["provider"], None
        if e["class"] != "provider-invalid":
            return self.failed(e)
        if used == self.provider:
            self.provider = None
        if op["renewed"]:
            return self.failed(e)
        op["renewed"] = True
        self.proceed(op)

    def failed(self, e):
        self.failures += 1
        if e["class"] in ("later", "provider-invalid") and self.failures <= 3:
            self.not_before = self.now + backoff(self.failures, 5 * SECOND, 20 * SECOND, self.jitter)
        else:
            more = max(self.failures - 3, 1)
            self.not_before = self.now + backoff(more, 15 * MINUTE, 4 * 60 * MINUTE, self.jitter)
            self.reason = "no-play-services" if e["class"] == "no-play-services" else "failed"
            self.code = e["code"]
        self.act("wait", until=self.not_before)
        self.serve_waiting()

    def waiting(self):
        return [op for op in self.ops.values() if op["provider"] is None]

    def serve_waiting(self):
        for op in self.waiting():
            self.proceed(op)

    def proceed(self, op):
        if self.now < self.not_before:
            if self.reason is not None:
                del self.ops[op["id"]]
                self.act("sendWithoutEvidence", op=op["id"], reason=self.reason, code=self.code)
        elif self.provider is not None:
            op["provider"] = self.provider
            self.act("request", op=op["id"], provider=self.provider)
        elif not self.preparing:
            self.prepare()

    def prepare(self):
        made = [t for t in self.prepared_at if self.now - MINUTE < t <= self.now]
        if len(made) >= PREPARATIONS:
            self.not_before = made[0] + MINUTE
            self.prepared_at = made
            return self.act("wait", until=self.not_before)
        self.prepared_at = made + [self.now]
        self.turn += 1
        self.preparing = True
        self.act("prepare", turn=self.turn)

    def stale(self, e):
        if e["turn"] != self.turn or not self.preparing:
            return True
        self.preparing = False
        return False

    def act(self, action, **arguments):
        self.actions.append(dict(action=action, **{k: v for k, v in arguments.items() if v is not None}))
