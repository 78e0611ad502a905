package dev.assay.client;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** What happens at random, and what must hold. */
final class World {
    static final class Totals {
        long steps;
        long judged;
        long failed;
        long keys;
        long tokens;
        long kills;

        @Override public String toString() {
            return steps + " steps, " + judged + " requests judged, " + failed + " failed with advice, " + keys + " keys, " + tokens
                + " tokens of Google, " + kills + " processes ended";
        }
    }

    final Random random;
    final Totals totals;
    private final Storage storage;
    long now = 1_800_000_000_000L;
    private long serverAhead;
    private boolean network = true;
    private boolean storageFails;
    private boolean calm;
    boolean clockWasSet;
    final List<App> apps = new ArrayList<>();
    private final List<Pending> requests = new ArrayList<>();
    private final FakeKeys keys = new FakeKeys(this);
    private final FakeGoogle google = new FakeGoogle(this);
    // The server.
    final Set<String> issued = new HashSet<>();
    private final Set<String> used = new HashSet<>();
    private final Set<String> enrolled = new HashSet<>();
    private final Set<String> sentNonces = new HashSet<>();
    int serial;

    World(long seed, Path file, Totals totals) throws Exception {
        random = new Random(seed);
        this.totals = totals;
        Storage real = file == null ? Storage.memory() : new FileStorage(file.toFile());
        storage = change -> {
            if (storageFails) throw new java.io.IOException("no space");
            real.update(change);
        };
        apps.add(new App("p1"));
        apps.add(new App("p2"));
    }

    /** A process: its tasks run when the walk says so. */
    final class App implements Scheduler {
        private final List<Runnable> posted = new ArrayList<>();
        private final List<Runnable> calls = new ArrayList<>();
        private final List<Object[]> timers = new ArrayList<>();
        final AssayClient client;
        final String name;

        App(String name) throws Exception {
            this.name = name;
            AssayClient.Builder builder = AssayClient.builder("shop", "https://shop.example/attest", keys, storage).versions("1", "16",
                "1")
                .listener(World::event).process(name).transport(World.this::post).playIntegrity(google).timeout(1);
            if (random.nextInt(4) == 0) builder.challengeForEachRequest();
            client = builder.build(this);
        }

        @Override public long now() { return now; }
        @Override public int jitter() { return random.nextInt(1001); }
        @Override public void post(Runnable task) { posted.add(task); }
        @Override public void call(Runnable task) { calls.add(task); }

        @Override public Runnable later(long milliseconds, Runnable task) {
            Object[] timer = {now + Math.max(0, milliseconds), task};
            timers.add(timer);
            return () -> timers.remove(timer);
        }

        @Override public void close() {
            posted.clear();
            calls.clear();
            timers.clear();
        }

        /** Runs one task; the loop's in their order, calls in any. */
        boolean run() {
            boolean isCall = !calls.isEmpty() && (posted.isEmpty() || random.nextInt(3) == 0);
            if (isCall) calls.remove(random.nextInt(calls.size())).run();
            else if (!posted.isEmpty()) posted.remove(0).run();
            else return false;
            return true;
        }

        boolean runTimer() {
            for (Object[] timer : new ArrayList<>(timers)) {
                if ((Long) timer[0] > now) continue;
                timers.remove(timer);
                ((Runnable) timer[1]).run();
                return true;
            }
            return false;
        }

        long nextTimer() {
            long next = Long.MAX_VALUE;
            for (Object[] timer : timers) next = Math.min(next, (Long) timer[0]);
            return next;
        }
    }

    /** A request of the app, until it has ended. */
    private final class Pending {
        final App app;
        CompletableFuture<SignedRequest> next;
        int sends;

        Pending(App app, CompletableFuture<SignedRequest> next) {
            this.app = app;
            this.next = next;
        }

        /** Sends what was signed. Returns whether the request has ended. */
        boolean go() throws Exception {
            if (!next.isDone()) return false;
            SignedRequest signed;
            try {
                signed = next.get();
            } catch (ExecutionException error) {
                Check.that(error.getCause() instanceof AssayClientException, "an error of the kit: " + error.getCause());
                Check.that(error.getCause().getMessage().matches("(?s)[A-Z].{20,}\\..*"), "that says what to do");
                totals.failed++;
                return true;
            }
            if (signed == null) return judged();
            Check.that(++sends <= 8, "a request is sent again and again");
            HttpTransport.Answer answer = judge(signed);
            if (answer == null) {
                totals.failed++;
                return true;
            }
            // As SignedRequest.answered, without its blocking.
            CompletableFuture<SignedRequest> again = answered(signed, answer);
            if (again == null) return judged();
            next = again;
            return false;
        }

        private boolean judged() {
            totals.judged++;
            return true;
        }
    }

    private static CompletableFuture<SignedRequest> answered(SignedRequest signed, HttpTransport.Answer answer) throws Exception {
        return signed.source().answered(answer);
    }

    void walk(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            totals.steps++;
            step();
        }
        // Everything works again: each request must end.
        calm = true;
        network = true;
        storageFails = false;
        for (int i = 0; !requests.isEmpty(); i++) {
            Check.that(i < 100_000, "requests without end: " + requests.size());
            if (!progress()) {
                long next = Long.MAX_VALUE;
                for (App app : apps) next = Math.min(next, app.nextTimer());
                Check.that(next != Long.MAX_VALUE, "requests wait for nothing");
                now = Math.max(now, next);
            }
        }
    }

    private boolean progress() throws Exception {
        boolean any = false;
        for (App app : apps) any |= app.run() || app.runTimer();
        for (Pending request : new ArrayList<>(requests)) {
            CompletableFuture<SignedRequest> before = request.next;
            if (request.go()) requests.remove(request);
            any |= before.isDone();
        }
        return any;
    }

    private void step() throws Exception {
        int chance = random.nextInt(100);
        App app = apps.get(random.nextInt(apps.size()));
        if (chance < 55) {
            if (!app.run()) app.runTimer();
        } else if (chance < 70) {
            if (!requests.isEmpty()) {
                Pending request = requests.get(random.nextInt(requests.size()));
                if (request.go()) requests.remove(request);
            }
        } else if (chance < 80) {
            String url = "https://shop.example/orders/" + serial++;
            if (random.nextInt(5) > 0) requests.add(new Pending(app, app.client.signLater("GET", url, null)));
            else requests.add(new Pending(app, app.client.integrity("GET", url, null).next));
        } else if (chance < 88) {
            now += new long[] {10, 700, 3000, 30_000, 100_000}[random.nextInt(5)];
            app.runTimer();
        } else {
            rare(random.nextInt(120), app);
        }
    }

    private void rare(int chance, App app) throws Exception {
        if (chance < 20) network = !network;
        else if (chance < 28) storageFails = !storageFails;
        else if (chance < 30) enrolled.clear();
        else if (chance < 32) keys.pairs.clear();
        else if (chance < 34) jump(random.nextBoolean() ? -40_000 : -3_600_000);
        else if (chance < 40) serverAhead = (random.nextInt(200) - 100) * 1000L;
        else if (chance < 42) jump(90_000_000);
        else if (chance < 50) app.client.prefetch();
        else if (chance < 56) app.client.networkIsBack();
        else if (chance < 57) app.client.forgetLater();
        else if (chance < 62) kill(app);
    }

    /** Telemetry has no challenge, key or token. */
    private static void event(String event, String detail, String remedy) {
        Check.that(!(event + " " + detail + " " + remedy).matches("(?s).*(challenge-|assay-|token|[A-Za-z0-9_-]{30}).*"),
            "an event with a secret: " + detail);
    }

    private void jump(long milliseconds) {
        now += milliseconds;
        clockWasSet = true;
    }

    /** The process ends, with what it has under way, and another begins. */
    private void kill(App app) throws Exception {
        totals.kills++;
        requests.removeIf(request -> request.app == app);
        app.close();
        // Android's name of the process is the same, if it is read.
        apps.set(apps.indexOf(app), new App(random.nextBoolean() ? app.name : "p" + serial++));
    }

    boolean fails(int inThousand) { return !calm && random.nextInt(1000) < inThousand; }

    // The server

    private HttpTransport.Answer json(int status, Map<String, Object> object) {
        java.text.SimpleDateFormat format = new java.text.SimpleDateFormat("EEE, dd MMM yyyy HH:mm:ss 'GMT'", java.util.Locale.US);
        format.setTimeZone(java.util.TimeZone.getTimeZone("GMT"));
        Map<String, String> fields = new HashMap<>(Map.of("content-type", "application/json", "date",
            format.format(now + serverAhead)));
        if (status >= 429) fields.put("retry-after", "9");
        return new HttpTransport.Answer(status, fields, Bytes.utf8(Json.write(object)));
    }

    private HttpTransport.Answer post(String url, byte[] body, Map<String, String> fields) throws java.io.IOException {
        if (!network) throw new HttpTransport.NotSentException(new java.net.ConnectException());
        if (fails(40)) return json(random.nextBoolean() ? 503 : 429, Json.of("code", "outage"));
        if (fails(30)) return new HttpTransport.Answer(200, Map.of("content-type", "text/html"), Bytes.utf8("<html>"));
        boolean lost = fails(60);
        HttpTransport.Answer answer;
        try {
            answer = url.endsWith("/challenges") ? issue() : enrol(Json.object(body));
        } catch (Json.Malformed error) {
            throw new AssertionError(error);
        }
        if (lost) throw new java.io.IOException("lost");
        return answer;
    }

    private HttpTransport.Answer issue() {
        String challenge = "challenge-" + serial++ + "-0123456789";
        issued.add(challenge);
        java.text.SimpleDateFormat format = new java.text.SimpleDateFormat("yyyy-MM-dd'T'HH:mm:ss'Z'", java.util.Locale.US);
        format.setTimeZone(java.util.TimeZone.getTimeZone("GMT"));
        return json(201, Json.of("challenge", challenge, "expiresAt", format.format(now + serverAhead + 300_000)));
    }

    private HttpTransport.Answer enrol(Map<String, Object> record) {
        Map<String, Object> evidence = Json.object(record.get("evidence"));
        String certificate = (String) ((List<?>) evidence.get("certificates")).get(0);
        String challenge = new String(java.util.Base64.getDecoder().decode((String) evidence.get("challenge")), Bytes.UTF_8);
        Check.that(issued.contains(challenge), "a challenge of the server");
        Check.equal(keys.challenges.get(certificate), challenge, "the challenge that the key was made over");
        if (fails(60)) return json(200, Json.of("outcome", "reject", "remedy", pick()));
        Check.that(!used.contains(challenge), "a challenge that the server has used is sent again: " + challenge);
        used.add(challenge);
        enrolled.add(certificate);
        return json(200, Json.of("outcome", "accept"));
    }

    private String pick() {
        return new String[] {"retry", "retry", "new-challenge", "new-attestation", "update-app", "contact-support"}[random.nextInt(6)];
    }

    /** The judge of requests; null if there is no answer. */
    private HttpTransport.Answer judge(SignedRequest signed) {
        if (!network || fails(30)) {
            signed.lost(network);
            return null;
        }
        if (fails(30)) return json(503, Json.of("code", "outage"));
        if (fails(40)) return json(401, Json.of("remedy", pick()));
        String input = signed.fields().get("Signature-Input");
        if (input == null) {
            Check.that(signed.fields().get("Assay-Evidence").startsWith("none;reason="), "evidence, or the reason for none");
            return json(random.nextBoolean() ? 201 : 403, random.nextBoolean() ? Json.of("x", 1L)
                : Json.of("remedy", "contact-support"));
        }
        if (input.contains("play-integrity")) {
            totals.tokens++;
            return json(201, Json.of("order", 1L));
        }
        String nonce = input.replaceAll(".*;nonce=\"([^\"]*)\".*", "$1");
        Check.that(sentNonces.add(nonce), "a nonce is signed once");
        String keyId = input.replaceAll(".*;keyid=\"([^\"]*)\".*", "$1");
        if (!enrolled.contains(keys.names.get(keyId))) return json(401, Json.of("remedy", "new-attestation"));
        long created = Long.parseLong(input.replaceAll(".*;created=([0-9]+).*", "$1"));
        long age = (now + serverAhead) / 1000 - created;
        return age > 60 || age < -15 ? json(401, Json.of("remedy", "retry")) : json(201, Json.of("order", 1L));
    }
}
