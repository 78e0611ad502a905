"""The cache of a kit's token of Assay: one fetch at a time, renewed before its end. `life` is what the server said, so
that the device's clock need only run evenly. `fetch` is a request of the enrolment with `fresh`, for which the driver
sends `fetched` or `fetchFailed`."""

from enrolment import DAY, SECOND, backoff, ceil_seconds

# A token within this of its end is not used any more: the way to the server takes time.
TOKEN_MARGIN = 5 * SECOND


class Tokens:
    def __init__(self):
        self.token = None
        self.issued = self.renew_at = self.ends = 0
        self.turn = 0           # of the fetch under way; answers to earlier ones are ignored
        self.fetching = False
        self.failures = self.not_before = 0
        self.failure = {}
        self.ops = {}
        self.actions = []

    def step(self, event, now, jitter=0):
        self.actions = []
        self.now = now
        self.jitter = jitter
        if not now < self.not_before <= now + DAY:
            self.not_before = 0
        getattr(self, "on_" + event["type"])(event)
        return self.actions

    def on_need(self, e):
        self.ops[e["op"]] = op = {"id": e["op"], "token": None, "renewed": False}
        self.proceed(op)

    def on_done(self, e):
        """The request with the token was answered, or the app has given it up."""
        self.ops.pop(e["op"], None)

    def on_prefetch(self, e):
        if not self.fetching and self.now >= self.not_before and not (self.usable() and self.now < self.renew_at):
            self.fetch()

    def on_refused(self, e):
        """A service refused the token of a request: `invalid_token`. Once, another token may help."""
        op = self.ops.get(e["op"])
        if op is None or op["token"] is None:
            return
        if op["token"] == self.token:
            self.token = None
        if op["renewed"]:
            del self.ops[op["id"]]
            return self.act("fail", op=op["id"], cause="refused", code="invalid_token")
        op.update(token=None, renewed=True)
        self.proceed(op)

    def on_fetched(self, e):
        if self.stale(e):
            return
        life = min(max(e["life"], 0), 24 * 3600) * SECOND
        # At half of its life, or a minute before its end if that is later; some of it sooner, so that not all devices
        # that began together renew together.
        renew = max(life // 2, life - 60 * SECOND)
        self.token, self.issued, self.ends = e["token"], self.now, self.now + life
        self.renew_at = self.now + renew - renew // 10 * self.jitter // 1000
        self.failures = self.not_before = 0
        self.act("wait", until=self.renew_at)
        for op in self.waiting():
            op["token"] = self.token
            self.act("use", op=op["id"], token=self.token)

    def on_fetchFailed(self, e):
        if self.stale(e):
            return
        self.failures += 1
        delay = backoff(self.failures, 2 * SECOND, 300 * SECOND, self.jitter)
        if e.get("retryAfter") is not None:
            delay = max(delay, min(e["retryAfter"], 24 * 3600) * SECOND)
        self.not_before = self.now + delay
        self.failure = {k: e[k] for k in ("cause", "code", "remedy") if e.get(k) is not None}
        for op in self.waiting():
            self.give_up(op)

    def on_network(self, e):
        """The network is back."""
        if self.failure.get("cause") == "network":
            self.not_before = 0

    def on_forget(self, e):
        """The account or its key is no more."""
        self.token = None
        self.turn += 1
        self.fetching = False
        self.failure = {"cause": "forgotten"}
        for op in self.waiting():
            self.give_up(op)

    def usable(self):
        return self.token is not None and self.issued <= self.now < self.ends - TOKEN_MARGIN

    def waiting(self):
        return [op for op in self.ops.values() if op["token"] is None]

    def proceed(self, op):
        if self.usable():
            op["token"] = self.token
            self.act("use", op=op["id"], token=self.token)
            if self.now >= self.renew_at and not self.fetching and self.now >= self.not_before:
                self.fetch()
        elif self.fetching:
            pass
        elif self.now < self.not_before:
            self.give_up(op)
        else:
            self.fetch()

    def fetch(self):
        self.turn += 1
        self.fetching = True
        self.act("fetch", turn=self.turn)

    def stale(self, e):
        if e["turn"] != self.turn or not self.fetching:
            return True
        self.fetching = False
        return False

    def give_up(self, op):
        del self.ops[op["id"]]
        wait = ceil_seconds(self.not_before - self.now) if self.now < self.not_before else None
        self.act("fail", op=op["id"], retryAfter=wait, **self.failure)

    def act(self, action, **arguments):
        self.actions.append(dict(action=action, **{k: v for k, v in arguments.items() if v is not None}))
