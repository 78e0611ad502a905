package dev.assay.client;

import dev.assay.client.AssayClientException.Code;
import dev.assay.client.android.AndroidKeystore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.Security;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The kit against `assay serve`, with keys that a test authority attests. */
public final class ServiceTests {
    private static final byte[] ORDER = "{\"amount\":42}".getBytes(StandardCharsets.UTF_8);
    private static AssayService service;

    private ServiceTests() {}

    public static void main(String[] arguments) throws Exception {
        String program = System.getenv("ASSAY_PROGRAM");
        if (program == null) {
            if ("true".equals(System.getenv("CI"))) throw new AssertionError("ASSAY_PROGRAM must name the program in CI");
            System.out.println("SKIPPED: the tests against the service, as ASSAY_PROGRAM does not name it");
            return;
        }
        Security.addProvider(StubKeystore.SHARED);
        StubKeystore.SHARED.reset();
        try (AssayService running = new AssayService(program, StubKeystore.SHARED.attester.pem())) {
            service = running;
            run("enrolment and requests", ServiceTests::requests);
            run("a replay", ServiceTests::replay);
            run("a challenge that is used", ServiceTests::usedChallenge);
            run("lost and bad answers", ServiceTests::lostAnswers);
            run("a key that is gone", ServiceTests::lostKey);
            run("another account", ServiceTests::otherAccount);
            run("another package", ServiceTests::otherPackage);
            run("429 and 503", ServiceTests::busy);
            run("clocks", ServiceTests::clocks);
            run("an empty ledger", ServiceTests::emptyLedger);
            run("twenty callers", ServiceTests::callers);
            run("killed at each call", ServiceTests::killed);
            run("a device without evidence", ServiceTests::withoutEvidence);
            run("OkHttp", () -> OkHttpTests.run(service));
            run("tokens", () -> tokens("shop-tokens"));
            run("tokens under nonce: ledger", () -> tokens("shop-strict"));
            run("secrets", () -> SecretServiceTests.run(service));
            run("nginx", () -> nginx(Path.of(arguments[0])));
        } finally {
            System.out.flush();
        }
        // OkHttp's threads would keep the process for a minute.
        System.exit(0);
    }

    private static void run(String what, Check.Work work) throws Exception {
        StubKeystore.SHARED.reset();
        service.fault = path -> null;
        service.account = null;
        service.calls.clear();
        service.verdicts.clear();
        work.run();
        Check.done(what);
    }

    static AssayClient.Builder builder(Storage storage) {
        return AssayClient.builder("shop-android", service.url(""), new AndroidKeystore(), storage).versions("5.1.0", "16", "1");
    }

    private static int order(AssayClient client) throws AssayClientException {
        return client.send(AssayClient.KEY, "POST", service.url("/orders?id=7"), Map.of(), MessageBody.bytes(ORDER)).status;
    }

    private static int keys() { return StubKeystore.SHARED.made.size(); }

    static int count(String path) {
        int count = 0;
        for (String call : service.calls) if (call.equals(path)) count++;
        return count;
    }

    private static void requests() throws Exception {
        List<String> events = new ArrayList<>();
        try (AssayClient client = builder(Storage.memory()).listener((event, detail, remedy) -> events.add(event + " " + detail)).build()) {
            for (int i = 0; i < 3; i++) Check.equal(201, order(client), "a signed request with a body");
            Check.equal(201, client.send(AssayClient.KEY, "GET", service.url("/orders"), Map.of(), null).status, "and without one");
        }
        Check.equal(1, keys(), "one key");
        Check.equal(1, count("/enrolments"), "one enrolment");
        Check.equal(1, count("/challenges"), "one challenge");
        Check.that(events.contains("phase enrolled"), "an event for telemetry");
    }

    /** Sends what was signed, without the kit. */
    private static HttpTransport.Answer raw(SignedRequest signed, String url) throws IOException {
        return new UrlConnectionTransport().exchange("POST", url, MessageBody.bytes(ORDER), signed.fields());
    }

    private static void replay() throws Exception {
        String url = service.url("/orders");
        try (AssayClient client = builder(Storage.memory()).build()) {
            SignedRequest signed = client.sign("POST", url, MessageBody.bytes(ORDER));
            Check.equal(201, raw(signed, url).status, "the first copy");
            HttpTransport.Answer second = raw(signed, url);
            Check.equal("retry", Backend.remedy(second), "the second copy is a replay: " + second.status + " " + service.verdicts
                + new String(second.body));
            SignedRequest again = signed.answered(second);
            Check.that(again != null && !again.fields().equals(signed.fields()), "another signature in its place");
            HttpTransport.Answer third = raw(again, url);
            Check.equal(201, third.status, "which is accepted");
            Check.equal(null, again.answered(third), "the request is over");
            SignedRequest altered = client.sign("POST", url + "?amount=1", MessageBody.bytes(ORDER));
            HttpTransport.Answer refused = raw(altered, url + "?amount=2");
            SignedRequest once = altered.answered(refused);
            Check.that(once == null || raw(once, url + "?amount=2").status != 201, "the signature covers the query");
        }
        Check.equal(1, keys(), "a replay takes no other key");
    }

    private static void usedChallenge() throws Exception {
        AtomicInteger enrolments = new AtomicInteger();
        service.fault = path -> path.equals("/enrolments") && enrolments.getAndIncrement() == 0 ? "twice" : null;
        try (AssayClient client = builder(Storage.memory()).build()) {
            Check.equal(201, order(client), "another key over another challenge");
        }
        Check.equal(2, keys(), "one key more");
        service.fault = path -> path.equals("/enrolments") ? "twice" : null;
        try (AssayClient client = builder(Storage.memory()).build()) {
            Check.error(Code.REFUSED, () -> order(client), "a server that refuses each key");
        }
        Check.equal(4, keys(), "two keys at most in an enrolment");
    }

    private static void lostAnswers() throws Exception {
        AtomicInteger enrolments = new AtomicInteger();
        service.fault = path -> path.equals("/enrolments") && enrolments.getAndIncrement() == 0 ? "after" : null;
        try (AssayClient client = builder(Storage.memory()).build()) {
            Check.equal(201, order(client), "a request tells that the key is enrolled");
            Check.equal(201, order(client), "and the next one signs at once");
        }
        Check.equal("1 1", keys() + " " + count("/enrolments"), "one key, whose attestation is sent once");
        StubKeystore.SHARED.reset();
        service.fault = path -> path.equals("/challenges") ? "before" : null;
        try (AssayClient client = builder(Storage.memory()).build()) {
            Check.error(Code.NETWORK, () -> order(client), "no answer to the challenge");
            Check.error(Code.NETWORK, () -> order(client), "nor at once afterwards");
            service.fault = path -> null;
            client.networkIsBack();
            Check.equal(201, order(client), "when the network is back");
        }
        for (String page : List.of("html", "html-huge", "cut")) {
            service.fault = path -> path.equals("/challenges") ? page : null;
            try (AssayClient client = builder(Storage.memory()).build()) {
                Check.error(Code.ANSWER, () -> order(client), "something else than the server answers: " + page);
            }
        }
        service.fault = path -> path.equals("/orders") ? "after" : null;
        try (AssayClient client = builder(Storage.memory()).build()) {
            AssayClientException error = Check.error(Code.NETWORK, () -> order(client), "a lost answer to a request");
            Check.that(error.mayHaveBeenExecuted(), "which the server may have executed");
        }
        try (AssayClient client = builder(Storage.memory()).urls("http://127.0.0.1:1/c", "http://127.0.0.1:1/e",
            "http://127.0.0.1:1/t").build()) {
            AssayClientException error = Check.error(Code.NETWORK, () -> order(client), "no server");
            Check.that(!error.mayHaveBeenExecuted() && error.retryAfterSeconds() != null, "with the time of the next attempt");
        }
    }

    private static void lostKey() throws Exception {
        try (AssayClient client = builder(Storage.memory()).build()) {
            Check.equal(201, order(client), "enrolled");
            StubKeystore.SHARED.deleteAll();
            Check.equal(201, order(client), "another key in place of the one that is gone");
            Check.equal(2, keys(), "one key more");
            StubKeystore.SHARED.deleteAll();
            Check.equal(201, order(client), "and a third");
            StubKeystore.SHARED.deleteAll();
            Check.error(Code.REFUSED, () -> order(client), "a fourth within a day is not made");
            Check.that(service.lastFields.get("assay-evidence").startsWith("none;reason=failed;code=\"keystore:6\""),
                "the request says that the device's keys die");
        }
        Check.equal(3, keys(), "three keys a day");
    }

    private static void otherAccount() throws Exception {
        service.account = "user-1";
        Storage storage = Storage.memory();
        try (AssayClient client = builder(storage).build()) {
            Check.equal(201, order(client), "the first account");
            service.account = "user-2";
            Check.equal(201, order(client), "a session of another account makes a key of its own");
        }
        Check.equal(2, keys(), "one key for each account");
        Check.equal("[accept, reject new-attestation, accept]", service.verdicts.toString(), "because the server says so");
    }

    private static void otherPackage() throws Exception {
        StubKeystore.SHARED.packageName = "com.evil.shop";
        Storage storage = Storage.memory();
        try (AssayClient client = builder(storage).build()) {
            AssayClientException error = Check.error(Code.HALTED, () -> order(client), "an app that the policy does not know");
            int calls = service.calls.size();
            Check.error(Code.HALTED, () -> order(client), "no attempt follows");
            Check.equal(calls, service.calls.size(), "and no call of the server");
            Check.that(error.remedy() != null, "with the server's remedy");
        }
        StubKeystore.SHARED.packageName = Attester.PACKAGE;
        try (AssayClient client = builder(storage).build()) {
            Check.error(Code.HALTED, () -> order(client), "a restart changes nothing");
        }
        try (AssayClient client = builder(storage).versions("5.1.1", "16", "1").build()) {
            Check.equal(201, order(client), "another version of the app may do better");
        }
    }

    private static void busy() throws Exception {
        for (String status : List.of("503", "429")) {
            service.fault = path -> path.equals("/challenges") ? status : null;
            try (AssayClient client = builder(Storage.memory()).build()) {
                Code code = status.equals("429") ? Code.LIMITED : Code.UNAVAILABLE;
                Check.equal(7L, Check.error(code, () -> order(client), status).retryAfterSeconds(), "the server's Retry-After");
                int calls = service.calls.size();
                Check.error(code, () -> order(client), "before that time");
                Check.equal(calls, service.calls.size(), "no call of the server");
            }
        }
        service.fault = path -> path.equals("/orders") ? "503" : null;
        try (AssayClient client = builder(Storage.memory()).build()) {
            Check.equal(503, order(client), "an outage on a request is the app's to handle");
        }
        Check.equal(1, keys(), "no key is made for an outage");
    }

    private static void clocks() throws Exception {
        for (long minutes : new long[] {-2, 2, -24 * 60 + 5, 24 * 60 - 5}) {
            AtomicLong skew = new AtomicLong(minutes * 60_000);
            try (AssayClient client = builder(Storage.memory()).build(ShiftedScheduler.by(skew))) {
                Check.equal(201, order(client), "a clock that is " + minutes + " minutes off");
            }
        }
        AtomicLong skew = new AtomicLong();
        service.verdicts.clear();
        Scheduler scheduler = ShiftedScheduler.by(skew);
        try (AssayClient client = builder(Storage.memory()).build(scheduler)) {
            Check.equal(201, order(client), "a clock that is right");
            for (long minutes : new long[] {-2, 2}) {
                // The client has seen the answer before the clock is set.
                CompletableFuture<Boolean> seen = new CompletableFuture<>();
                scheduler.post(() -> seen.complete(true));
                Check.that(seen.get(), "the answer is seen");
                skew.set(minutes * 60_000);
                Check.equal(201, order(client), "and is set");
            }
        }
        Check.equal("[accept, reject retry, accept, reject retry, accept]", service.verdicts.toString(),
            "one more signature, by the server's clock");
    }

    private static void emptyLedger() throws Exception {
        try (AssayClient client = builder(Storage.memory()).build()) {
            Check.equal(201, order(client), "enrolled");
            service.restart();
            Check.equal(201, order(client), "a ledger that does not know the key gets another");
        }
        Check.equal(2, keys(), "one key more");
    }

    private static void callers() throws Exception {
        try (AssayClient client = builder(Storage.memory()).build()) {
            List<CompletableFuture<Integer>> results = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                results.add(CompletableFuture.supplyAsync(() -> {
                    try {
                        return order(client);
                    } catch (AssayClientException error) {
                        throw new AssertionError(error);
                    }
                }, task -> new Thread(task).start()));
            }
            for (CompletableFuture<Integer> result : results) Check.equal(201, result.get(), "each of the callers");
        }
        Check.equal("1 1 1", keys() + " " + count("/challenges") + " " + count("/enrolments"), "join one enrolment");
    }

    /** The process ends before, or after, each of its calls: the next one goes on with what was stored. */
    private static void killed() throws Exception {
        for (int end = 0; end < 12; end++) {
            StubKeystore.SHARED.reset();
            service.calls.clear();
            Path file = java.nio.file.Files.createTempDirectory("assay").resolve("state.json");
            AtomicInteger left = new AtomicInteger(end / 2);
            boolean after = end % 2 == 1;
            AtomicLong skew = new AtomicLong();
            Scheduler alive = ShiftedScheduler.by(skew);
            AtomicBoolean dead = new AtomicBoolean();
            Scheduler dying = new Scheduler() {
                @Override public long now() { return alive.now(); }
                @Override public int jitter() { return alive.jitter(); }
                @Override public void post(Runnable task) { alive.post(() -> { if (!dead.get()) task.run(); }); }

                @Override public void call(Runnable task) {
                    boolean ends = left.getAndDecrement() == 0;
                    if (ends) dead.set(true);
                    if (!dead.get() || ends && after) alive.call(task);
                }

                @Override public Runnable later(long milliseconds, Runnable task) { return () -> {}; }
                @Override public void close() { alive.close(); }
            };
            AssayClient first = builder(new FileStorage(file.toFile())).timeout(700).build(dying);
            try {
                order(first);
            } catch (AssayClientException expected) {
                Check.that(expected.code() != Code.PLATFORM, "the caller of a process that ends: " + expected.getMessage());
            }
            first.close();
            // At once: by its name, the process knows that the work is its own.
            try (AssayClient second = builder(new FileStorage(file.toFile())).build()) {
                Check.equal(201, order(second), "the next process goes on after call " + end / 2.0);
            }
            Check.that(keys() <= 2, "at most one key is lost: " + keys());
            Check.that(StubKeystore.SHARED.aliases().size() <= 1, "no key stays that no record knows");
        }
    }

    private static void tokens(String app) throws Exception {
        String url = service.url("/stock?page=2");
        service.tokenApp = app;
        AssayClient.Builder builder = AssayClient.builder(app, service.url(""), new AndroidKeystore(), Storage.memory())
            .versions("5.1.0", "16", "1").tokens("https://api.example.com", "https://pay.example.com");
        boolean strict = app.equals("shop-strict");
        if (strict) builder.challengeForEachRequest();
        try (AssayClient client = builder.build()) {
            for (int i = 0; i < 3; i++) Check.equal(201, client.send(AssayClient.TOKEN, "GET", url, Map.of(), null).status,
                "a token with its proof");
            Check.equal("[accept, accept, accept]", service.verdicts.toString(), "judged by Assay");
            Check.equal(1, count("/tokens"), "one token for all requests");
            Check.equal(strict ? 2 : 1, count("/challenges"), "a challenge of the server only where the policy wants one");
            Map<String, String> sent = service.lastFields;
            Check.that(new UrlConnectionTransport().exchange("GET", url, null, Map.of("Authorization", sent.get("authorization"), "DPoP",
                sent.get("dpop"))).status != 201,
                "a proof that is used");
            int made = keys();
            client.prefetch();
            for (String alias : StubKeystore.SHARED.aliases()) if (alias.startsWith("assay-dpop")) new AndroidKeystore().delete(alias);
            Check.equal(201, client.send(AssayClient.TOKEN, "GET", url, Map.of(), null).status,
                "another key of proofs takes another token");
            Check.equal(made + 1 + " 2", keys() + " " + count("/tokens"), "one of each");
            service.restart();
            Check.equal(201, client.send(AssayClient.TOKEN, "GET", url, Map.of(), null).status,
                "a ledger that does not know the token's issuer key");
        }
        Check.equal(Code.CONFIGURATION, Check.error(Code.CONFIGURATION, () -> builder(Storage.memory()).build().authorize("GET", url),
            "no audience").code(),
            "tokens need an audience");
    }

    private static void withoutEvidence() throws Exception {
        try (AssayClient client = builder(Storage.memory()).withoutEvidence("no-attestation-keys").build()) {
            SignedRequest request = client.sign("GET", service.url("/orders"), null);
            Check.that(!request.hasEvidence(), "no evidence");
            Check.equal("none;reason=no-attestation-keys;app-version=\"5.1.0\";system-version=\"16\"",
                request.fields().get("Assay-Evidence"), "the reason");
        }
        StubKeystore.SHARED.faults = (call, spec) -> {
            if (call.equals("generate")) throw new android.security.KeyStoreException(16, 1, false, false);
        };
        try (AssayClient client = builder(Storage.memory()).build()) {
            SignedRequest request = client.sign("GET", service.url("/orders"), null);
            Check.equal("none;reason=unsupported;code=\"keystore:16\";app-version=\"5.1.0\";system-version=\"16\"",
                request.fields().get("Assay-Evidence"),
                "a device that cannot attest");
        }
        Check.equal(0, keys(), "no key");
    }

    private static void nginx(Path example) throws Exception {
        service.startNginx(example);
        String url = "http://127.0.0.1:" + service.nginxPort + "/orders?x=%2F";
        try (AssayClient client = builder(Storage.memory()).build()) {
            for (int i = 0; i < 3; i++) {
                HttpTransport.Answer answer = client.send(AssayClient.KEY, "GET", url, Map.of(), null);
                Check.equal("200 {\"order\":\"by nginx\"}", answer.status + " " + new String(answer.body, StandardCharsets.UTF_8),
                    "through nginx");
            }
            service.restart();
            Check.equal(200, client.send(AssayClient.KEY, "GET", url, Map.of(), null).status,
                "a key that the ledger has lost: nginx passes on the remedy as a field");
            Check.equal(2, keys(), "one key more");
            Check.equal("contact-support", Check.error(Code.REFUSED,
                () -> client.send(AssayClient.KEY, "POST", url, Map.of(), MessageBody.bytes(ORDER)),
                "a body that nginx does not show").remedy(),
                "the policy must say body: upstream");
        }
    }
}
