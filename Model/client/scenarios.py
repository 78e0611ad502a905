"""The named vectors: one for each row of the table in Docs/client-model.md."""

from vectors import START, Recorder, make

DAY = 24 * 3600_000


def scenarios(kind):
    return {"enrolment": enrolment, "tokens": tokens, "integrity": integrity}[kind]()


class Enrolling(Recorder):
    """Steps that many vectors have."""

    def __init__(self, name, **settings):
        super().__init__(name, make("enrolment"), settings)

    def started(self, **fields):
        self.step(**dict(START, **fields))
        return self

    def attested(self, serial="1"):
        """Up to the answer of the server."""
        if self.machine.doing == "challenge":
            self.step("challenge", turn=self.machine.turn, value="c" + serial, life=300)
        if self.machine.doing == "makeKey":
            self.step("keyMade", after=50, turn=self.machine.turn, key="k" + serial)
        self.step("attested", after=900, turn=self.machine.turn, evidence="e" + serial)
        return self

    def enrolled(self, serial="1"):
        self.step("need", op="first")
        self.attested(serial)
        self.step("enrolled", after=200, turn=self.machine.turn)
        self.step("signed", op="first")
        self.step("judged", op="first", after=80)
        return self

    def failed(self, cause="network", after=0, jitter=500, **fields):
        call = {"challenge": "challenge", "submit": "submit"}[self.machine.doing]
        self.step("callFailed", after=after, jitter=jitter, call=call, turn=self.machine.turn, cause=cause, **fields)

    def platform_failed(self, kind, code, after=0, jitter=500):
        self.step("platformFailed", after=after, jitter=jitter, call=self.machine.doing, turn=self.machine.turn, code=code,
                  **{"class": kind})


def enrolment():
    done = []

    def vector(name, **settings):
        r = Enrolling(name, process="p1", **settings)
        done.append(r.vector)
        return r

    vector("enrol, then sign without another round trip").started().enrolled().step("need", op="second", after=60_000)

    r = vector("requests that come during the enrolment join it").started()
    for n in range(5):
        r.step("need", op=f"r{n}")
    r.attested().step("enrolled", turn=r.machine.turn)

    r = vector("prefetch enrols before there is a request").started()
    r.step("prefetch")
    r.step("prefetch")
    r.attested().step("enrolled", turn=r.machine.turn)

    r = vector("no network: the request fails, the next attempt waits longer each time").started()
    for n in range(4):
        r.step("need", op=f"r{n}", after=400_000)
        r.failed(jitter=250 * n)
    r.step("need", op="early", after=10)
    r.step("wake", after=10, network=True)

    r = vector("the server's Retry-After wins over a shorter wait").started()
    r.step("need", op="r")
    r.failed("limited", code="challenge-limit", retryAfter=120)
    r.step("need", op="early", after=119_000)
    r.step("wake", after=1_000)

    r = vector("a Retry-After of years counts as a day").started()
    r.step("need", op="r")
    r.failed("unavailable", retryAfter=10**9)
    r.step("need", op="next", after=DAY)

    r = vector("Apple is unavailable: the same key and challenge later").started()
    r.step("need", op="r")
    r.step("challenge", turn=1, value="c1", life=300)
    r.step("keyMade", turn=2, key="k1")
    r.platform_failed("later", "dc:4")
    r.step("wake", after=5_000)
    r.attested().step("enrolled", turn=r.machine.turn)

    r = vector("Apple is unavailable until the challenge ends: another challenge, the same key").started()
    r.step("need", op="r")
    r.step("challenge", turn=1, value="c1", life=300)
    r.step("keyMade", turn=2, key="k1")
    r.platform_failed("later", "dc:4")
    r.step("wake", after=400_000)
    r.step("challenge", turn=r.machine.turn, value="c2", life=300)

    r = vector("a key that is made over its challenge ends with it", keyHasChallenge=True).started()
    r.step("need", op="r")
    r.step("challenge", turn=1, value="c1", life=300)
    r.step("keyMade", turn=2, key="k1")
    r.platform_failed("later", "keystore:16")
    r.step("wake", after=400_000)

    r = vector("three failures of the platform: requests go without evidence, and say so").started()
    r.step("need", op="r")
    r.step("challenge", turn=1, value="c1", life=3000)
    for n in range(4):
        r.platform_failed("later", "dc:4")
        r.step("need", op=f"r{n}", after=1)
        r.step("wake", after=20_000 if n < 3 else 900_000)
    r.step("platformFailed", call="attest", turn=1, code="dc:4", **{"class": "later"})

    r = vector("attestation says that the key is gone: another key, once").started()
    r.step("need", op="r")
    r.step("challenge", turn=1, value="c1", life=300)
    r.step("keyMade", turn=2, key="k1")
    r.platform_failed("key-gone", "dc:3")
    r.step("keyMade", turn=r.machine.turn, key="k2")
    r.platform_failed("key-gone", "dc:3")

    r = vector("every key dies on the device: after three of them requests go without evidence").started()
    for n in range(3):
        r.step("need", op=f"r{n}", after=60_000)
        while r.machine.doing:
            if r.machine.doing == "challenge":
                r.step("challenge", turn=r.machine.turn, value=f"c{n}", life=300)
            elif r.machine.doing == "makeKey":
                r.step("keyMade", turn=r.machine.turn, key=f"k{len(r.machine.record['keysMade'])}")
            else:
                r.platform_failed("key-gone", "dc:3")
    r.step("need", op="without", after=3_600_000)

    r = vector("the platform does not attest: this process asks no more").started()
    r.step("need", op="r")
    r.step("challenge", turn=1, value="c1", life=300)
    r.platform_failed("unsupported", "dc:1")
    r.step("rejected", op="r", remedy="contact-support", code="no-evidence")
    r.step("need", op="next", after=DAY)
    r.step("judged", op="next")

    r = vector("an extension that may not attest").started(unsupported={"reason": "extension"})
    r.step("prefetch")
    r.step("need", op="r")
    r.step("judged", op="r")

    r = vector("the answer to the attestation is lost: a request tells whether it was accepted").started()
    r.step("need", op="r")
    r.attested().failed(sent=True)
    r.again()
    r.started().step("need", op="next", after=5_000)
    r.step("signed", op="next")
    r.step("judged", op="next")

    r = vector("the attestation was lost on its way: the server does not know the key").started()
    r.step("need", op="r")
    r.attested().failed(sent=True)
    r.step("need", op="next", after=5_000)
    r.step("signed", op="next")
    r.step("rejected", op="next", remedy="new-attestation", code="key-unknown")
    r.attested("2").step("enrolled", turn=r.machine.turn)
    r.step("signed", op="next")
    r.step("judged", op="next")

    r = vector("an outage before the attestation was judged: the same attestation again").started()
    r.step("need", op="r")
    r.attested().failed("unavailable", code="503", retryAfter=30)
    r.again()
    r.started().step("need", op="next", after=31_000)
    r.step("enrolled", turn=r.machine.turn)

    r = vector("an outage longer than the challenge: another key, because a key is attested once").started()
    r.step("need", op="r")
    r.attested().failed("unavailable", code="503", retryAfter=600)
    r.step("wake", after=600_000)
    r.attested("2").step("enrolled", turn=r.machine.turn)

    for remedy in ("new-challenge", "new-attestation"):
        r = vector(f"the attestation is refused, {remedy}: another key, once").started()
        r.step("need", op="r")
        r.attested().step("refused", turn=r.machine.turn, remedy=remedy, code="challenge-consumed")
        r.attested("2").step("refused", turn=r.machine.turn, remedy=remedy, code="challenge-consumed", jitter=500)
        r.step("need", op="next", after=10)

    for remedy in ("update-app", "update-system", "contact-support", "none"):
        r = vector(f"the attestation is refused, {remedy}: no attempt until something has changed").started()
        r.step("need", op="r")
        r.attested().step("refused", turn=r.machine.turn, remedy=remedy, code="some-code")
        r.step("need", op="same", after=3_600_000)
        r.again()
        r.started(app="1.1", system="17.1").step("need", op="changed")

    r = vector("a refusal for good ends after a day").started()
    r.step("need", op="r")
    r.attested().step("refused", turn=r.machine.turn, remedy="contact-support", code="blocked")
    r.step("need", op="before", after=DAY - 1)
    r.step("need", op="after", after=1)

    r = vector("a server that asks for another attestation again and again gets three a day").started()
    for n in range(4):
        r.step("need", op=f"r{n}", after=400_000)
        if r.machine.doing:
            r.attested(f"{n}a").step("refused", turn=r.machine.turn, remedy="new-attestation", code="key-unknown")
        if r.machine.doing:
            r.attested(f"{n}b").step("refused", turn=r.machine.turn, remedy="new-attestation", code="key-unknown")
    r.step("need", op="late", after=DAY)

    for remedy, code in (("retry", "counter-not-increasing"), ("new-challenge", "challenge-missing"),
                         ("new-attestation", "key-unknown")):
        r = vector(f"a request is refused, {remedy}: once more, then its error").started().enrolled()
        r.step("need", op="r")
        for n in range(2):
            if r.machine.ops["r"]["state"] == "challenge":
                r.step("requestChallenge", op="r", value=f"n{n}")
            r.step("signed", op="r")
            r.step("rejected", op="r", remedy=remedy, code=code)
            if r.machine.doing:
                r.attested("2").step("enrolled", turn=r.machine.turn)

    r = vector("a request is refused for good: the key stays").started().enrolled()
    r.step("need", op="r")
    r.step("signed", op="r")
    r.step("rejected", op="r", remedy="contact-support", code="subject-blocked")
    r.step("need", op="next")

    r = vector("the device's clock is an hour behind").started().enrolled()
    r.step("need", op="r")
    r.step("signed", op="r")
    r.step("rejected", op="r", remedy="retry", code="too-old", date=r.now + 3_600_000)
    r.step("signed", op="r")
    r.step("judged", op="r", date=r.now + 3_601_000)

    r = vector("the key is gone at signing: another one, and the request again").started().enrolled()
    r.step("need", op="a")
    r.step("need", op="b")
    r.step("signFailed", op="a", code="dc:3", **{"class": "key-gone"})
    r.step("signFailed", op="b", code="dc:3", **{"class": "key-gone"})
    r.attested("2").step("enrolled", turn=r.machine.turn)
    r.step("signFailed", op="a", code="dc:3", **{"class": "key-gone"})

    r = vector("signing fails for a moment, and for longer").started().enrolled()
    r.step("need", op="r")
    r.step("signFailed", op="r", code="keystore:15", **{"class": "again"})
    r.step("signFailed", op="r", code="keystore:15", **{"class": "again"})
    r.step("need", op="locked")
    r.step("signFailed", op="locked", code="keystore:2", **{"class": "locked"})

    r = vector("no answer to a request: the app decides, it may have been executed").started().enrolled()
    r.step("need", op="r")
    r.step("signed", op="r")
    r.step("sendFailed", op="r", cause="network", sent=True)
    r.step("need", op="outage")
    r.step("signed", op="outage")
    r.step("sendFailed", op="outage", cause="unavailable", code="503", retryAfter=7)

    r = vector("a request with a challenge of the server").started().enrolled()
    r.step("need", op="token", fresh=True)
    r.step("requestChallenge", op="token", value="n1")
    r.step("signed", op="token")
    r.step("rejected", op="token", remedy="retry", code="too-old")
    r.step("requestChallenge", op="token", value="n2")
    r.step("signed", op="token")
    r.step("judged", op="token")
    r.step("need", op="no challenge", fresh=True)
    r.step("requestChallengeFailed", op="no challenge", cause="limited", code="challenge-limit", retryAfter=3)

    r = vector("a reinstallation: the stored key is gone").started().enrolled()
    r.again()
    r.started(installation="i2").step("need", op="r")

    r = vector("an update of the app: the key stays").started().enrolled()
    r.again()
    r.started(app="2.0").step("need", op="r")

    r = vector("the process ends while the platform attests").started()
    r.step("need", op="r")
    r.step("challenge", turn=1, value="c1", life=300)
    r.step("keyMade", turn=2, key="k1")
    r.again()
    r.started().step("need", op="next", after=20_000)
    r.platform_failed("key-gone", "dc:3")

    r = vector("answers that come late are ignored").started()
    r.step("need", op="r")
    r.step("challenge", turn=7, value="c0", life=300)
    r.step("challenge", turn=1, value="c1", life=300)
    r.step("challenge", turn=1, value="c2", life=300)
    r.step("keyMade", turn=1, key="k0")
    r.step("enrolled", turn=2)
    r.step("signed", op="r")

    r = vector("the storage fails: no key is made that could not be found again").started()
    r.step("need", op="r")
    r.step("challenge", turn=1, value="c1", life=300)
    r.step("storageFailed", jitter=500)
    r.step("need", op="early")
    r.step("need", op="later", after=2_000)

    r = vector("another process enrols: this one waits for it").started()
    r.step("reload", record=dict(r.stored, phase="keyMade", key="k9", owner="p2", leaseEnds=r.now + 60_000))
    r.step("need", op="r")
    r.step("reload", after=3_000, record=dict(r.stored, phase="enrolled", owner=None, leaseEnds=0))

    r = vector("another process has ended within its work: this one goes on after its lease").started()
    r.step("reload", record=dict(r.stored, phase="attesting", key="k9", challenge="c9", challengeFrom=r.now,
                                 challengeEnds=r.now + 300_000, owner="p2", leaseEnds=r.now + 60_000))
    r.step("need", op="r")
    r.step("wake", after=30_000)
    r.step("wake", after=30_000)

    r = vector("both processes began: the later one to store drops its call").started()
    r.step("need", op="r")
    r.step("reload", record=dict(r.stored, owner="p2", leaseEnds=r.now + 90_000))
    r.step("challenge", turn=1, value="c1", life=300)

    r = vector("the clock was set back: old times count no more").started()
    r.step("need", op="r")
    r.failed("unavailable", retryAfter=3600)
    r.step("need", op="next", after=-40 * DAY)

    r = vector("the account is deleted").started().enrolled()
    r.step("need", op="r")
    r.step("forget")
    r.step("signed", op="r")
    r.step("wake", network=True)
    r.step("need", op="next")

    r = vector("a request that the app has given up").started()
    r.step("need", op="r")
    r.step("cancel", op="r")
    r.attested().step("enrolled", turn=r.machine.turn)
    return done


def tokens():
    done = []

    def vector(name):
        r = Recorder(name, make("tokens"))
        done.append(r.vector)
        return r

    def fetched(r, token="t1", life=300, **fields):
        r.step("fetched", turn=r.machine.turn, token=token, life=life, **fields)

    r = vector("one fetch for all that wait, then the token from memory")
    for n in range(3):
        r.step("need", op=f"r{n}")
    fetched(r, jitter=0)
    r.step("need", op="later", after=100_000)

    r = vector("renewed in the background before its end")
    r.step("need", op="a")
    fetched(r, jitter=1000)
    r.step("need", op="b", after=215_000)
    r.step("need", op="c", after=1_000)
    r.step("need", op="d", after=1_000)
    fetched(r, "t2")
    r.step("need", op="e")

    r = vector("renewal fails: the token serves until its end")
    r.step("need", op="a")
    fetched(r)
    r.step("need", op="b", after=250_000)
    r.step("fetchFailed", turn=r.machine.turn, cause="network", jitter=500)
    r.step("need", op="c", after=44_000)
    r.step("need", op="d", after=1_000)

    r = vector("an hour's token is renewed a minute before its end, a short one at half of its life")
    r.step("prefetch")
    fetched(r, life=3600)
    r.step("prefetch", after=3_540_000 - 1)
    r.step("prefetch", after=1)
    fetched(r, "t2", life=60)

    r = vector("no network, no token: an error at once, an attempt after the wait")
    r.step("need", op="a")
    r.step("fetchFailed", turn=1, cause="limited", code="challenge-limit", retryAfter=20, jitter=500)
    r.step("need", op="b", after=1_000)
    r.step("need", op="c", after=19_000)

    r = vector("the network is back: the wait for it ends")
    r.step("need", op="a")
    r.step("fetchFailed", turn=1, cause="network", jitter=500)
    r.step("network")
    r.step("need", op="b")

    r = vector("a service refuses the token: another one, once")
    r.step("need", op="a")
    fetched(r)
    r.step("refused", op="a")
    fetched(r, "t2")
    r.step("refused", op="a")
    r.step("need", op="b")

    r = vector("requests with the token that was refused take the next one")
    r.step("need", op="a")
    r.step("need", op="b")
    fetched(r)
    r.step("refused", op="a")
    r.step("refused", op="b")
    fetched(r, "t2")
    r.step("done", op="a")

    r = vector("a token without life serves the requests that waited for it, and no other")
    r.step("need", op="a")
    fetched(r, life=0)
    r.step("need", op="b")

    r = vector("the clock is set back: the token is fetched again")
    r.step("need", op="a")
    fetched(r)
    r.step("need", op="b", after=-3_600_000)

    r = vector("the account is deleted")
    r.step("need", op="a")
    r.step("forget")
    fetched(r)
    r.step("need", op="b")
    return done


def integrity():
    done = []

    def vector(name):
        r = Recorder(name, make("integrity"))
        done.append(r.vector)
        return r

    def failed(r, kind, op=None, code="play-integrity:-3", **fields):
        where = {"type": "requestFailed", "op": op} if op else {"type": "prepareFailed", "turn": r.machine.turn}
        r.step(**where, code=code, **{"class": kind}, **fields)

    r = vector("prepared once, asked for each request")
    r.step("prefetch")
    r.step("need", op="a")
    r.step("prepared", turn=1, provider="p1")
    r.step("token", op="a")
    r.step("need", op="b")

    r = vector("the provider is invalid: another one, once")
    r.step("need", op="a")
    r.step("prepared", turn=1, provider="p1")
    failed(r, "provider-invalid", "a", "play-integrity:-19")
    r.step("prepared", turn=2, provider="p2")
    failed(r, "provider-invalid", "a", "play-integrity:-19", jitter=500)

    r = vector("Google is unavailable: after 5, 10 and 20 seconds again, then without evidence")
    r.step("need", op="a")
    for n in range(3):
        failed(r, "later", jitter=1000)
        r.step("wake", after=20_000)
    failed(r, "later", jitter=1000)
    r.step("need", op="b", after=1_000)
    r.step("need", op="c", after=900_000)

    r = vector("no Play services: without evidence at once")
    r.step("need", op="a")
    failed(r, "no-play-services", code="play-integrity:-6", jitter=1000)
    r.step("need", op="b", after=899_000)
    r.step("need", op="c", after=1_000)

    r = vector("the user has repaired Play services: another provider at once")
    r.step("need", op="a")
    failed(r, "no-play-services", code="play-integrity:-6", jitter=1000)
    r.step("wake", repaired=True)
    r.step("need", op="b")

    r = vector("tampering: without evidence, and the code says why")
    r.step("need", op="a")
    r.step("prepared", turn=1, provider="p1")
    failed(r, "failed", "a", "play-integrity:-7", jitter=0)

    r = vector("requests that fail together count once for each")
    r.step("need", op="a")
    r.step("need", op="b")
    r.step("prepared", turn=1, provider="p1")
    failed(r, "later", "a", jitter=0)
    failed(r, "later", "b", jitter=0)
    r.step("wake", after=5_000)
    r.step("token", op="a")
    r.step("token", op="b")

    r = vector("never more preparations a minute than Google allows")
    r.step("need", op="a")
    for n in range(4):
        r.step("prepared", turn=r.machine.turn, provider=f"p{n}")
        failed(r, "provider-invalid", f"{'abcd'[n]}", "play-integrity:-19")
        r.step("need", op=f"{'bcde'[n]}", after=100)
    r.step("wake", after=60_000)

    r = vector("late answers are ignored")
    r.step("need", op="a")
    r.step("prepared", turn=3, provider="p0")
    r.step("prepared", turn=1, provider="p1")
    r.step("cancel", op="a")
    r.step("token", op="a")
    return done
