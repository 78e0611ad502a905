package dev.assay.client;

import dev.assay.client.AssayClientException.Code;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Security;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Signed configurations: which are taken over, what they mean, and how they come and stay. */
public final class ConfigurationTests {
    private ConfigurationTests() {}

    public static void main(String[] arguments) throws Exception {
        Security.addProvider(StubKeystore.SHARED);
        List<String> lines = Files.readAllLines(Path.of(arguments[0]));
        Check.that(!lines.isEmpty(), "there are vectors");
        for (String line : lines) vector(Json.object(Bytes.utf8(line)));
        Check.done(lines.size() + " vectors of configurations");
        storage();
        Check.done("stored configurations");
        clocks();
        Check.done("the clocks of device and server");
        tokens();
        Check.done("configurations beside tokens");
        System.exit(0);
    }

    private static Pinning pinning(String embedded, Storage storage, String backend, AtomicLong seconds) throws Exception {
        Pinning pinning = new Pinning(embedded, storage, true, "https://" + backend + "/x");
        pinning.clock = () -> seconds.get() * 1000;
        return pinning;
    }

    private static void store(Storage storage, String text) throws IOException {
        storage.update(content -> Bytes.utf8(text + "\n" + Bytes.base64url(Bytes.sha256(Bytes.utf8(text)))));
    }

    private static String stored(Storage storage) throws IOException {
        byte[][] found = {null};
        storage.update(content -> {
            found[0] = content;
            return null;
        });
        return found[0] == null ? null : new String(found[0], Bytes.UTF_8);
    }

    private static void vector(Map<String, Object> members) throws Exception {
        Fields vector = Fields.of("vector", members);
        String where = vector.text("id") + " (" + vector.text("about") + ")";
        Storage storage = Storage.memory();
        if (vector.text("held") != null) store(storage, vector.text("held"));
        AtomicLong seconds = new AtomicLong(vector.number("now", 0));
        Pinning pinning = pinning(vector.text("embedded"), storage, vector.text("backend"), seconds);
        String received = vector.text("received");
        if (received != null) {
            String outcome = pinning.received(received, List.of(String.valueOf(vector.text("did"))));
            String result = outcome == null ? "ignored" : outcome.startsWith("refused:") ? "refused" : "applied";
            Check.equal(vector.text("result"), result, where + ": " + outcome);
            Check.equal(vector.flag("forced"), outcome != null && outcome.startsWith("forced:"), where + ": forced, " + outcome);
        }
        for (int i = 0; i < 2; i++) {
            Map<String, Object> body = Json.of();
            pinning.describe(body);
            Check.equal(vector.number("version"), body.get("configuration"), where + ": the version");
            Object mode = body.get("configurationMode");
            Check.equal(vector.text("mode"), mode == null ? "pin" : mode, where + ": the mode");
            for (Object each : (List<?>) members.get("evaluations")) {
                Fields evaluation = Fields.of("evaluation", Json.object(each));
                List<String> digests = new ArrayList<>();
                for (Object spki : (List<?>) evaluation.values.get("spki")) {
                    digests.add(Bytes.base64(Bytes.sha256(Base64.getDecoder().decode((String) spki))));
                }
                String found = pinning.used().verdict(evaluation.text("host"), List.of(vector.text("backend")), digests,
                    evaluation.number("now", 0), evaluation.number("now", 0)).name().toLowerCase(java.util.Locale.ROOT);
                Check.equal(evaluation.text("result"), found, where + ": " + evaluation.text("host") + " at " + evaluation.number("now"));
            }
            // A restart changes nothing.
            pinning = pinning(vector.text("embedded"), storage, vector.text("backend"), seconds);
        }
    }

    private static void storage() throws Exception {
        Signer signer = new Signer("k1");
        Signer next = new Signer("k2");
        AtomicLong seconds = new AtomicLong(Signer.seconds());
        String embedded = signer.sign(signer.claims(1));
        String second = signer.sign(Signer.with(signer.claims(2), "keys", List.of(next.jwk())));
        String third = next.sign(next.claims(3));
        Storage storage = Storage.memory();
        Pinning pinning = pinning(embedded, storage, "localhost", seconds);
        Pinning other = pinning(embedded, storage, "localhost", seconds);
        Check.equal(1L, other.version(), "another process begins with the embedded one, too");
        Check.equal("refused:kid", pinning.received(third, List.of()), "a key that is not known yet");
        Check.equal("applied:2", pinning.received(second, List.of()), "which the next one names");
        Check.equal("applied:3", other.received(third, List.of()), "the other process knows it from the storage");
        Check.equal("refused:version", pinning.received(next.sign(next.claims(2)), List.of()), "and the first one what the other stored");
        Check.equal(3L, pinning.version(), "it takes that over");
        Check.equal(3L, pinning(embedded, storage, "localhost", seconds).version(), "and a restart finds it");
        String newer = signer.sign(signer.claims(4));
        Check.equal(4L, pinning(newer, storage, "localhost", seconds).version(), "unless the app embeds a newer one");
        Map<String, Object> moved = Signer.with(signer.claims(1), "iss", "https://other.example.com");
        Check.equal(1L, pinning(signer.sign(moved), storage, "localhost", seconds).version(), "or one of another service");

        String content = stored(storage);
        for (String damaged : List.of("", "\n", content.substring(0, content.length() - 1), content + "\n", "x" + content,
            content.substring(1), content.replace('.', '\n'))) {
            Storage broken = Storage.memory();
            broken.update(none -> Bytes.utf8(damaged));
            Pinning fallen = pinning(embedded, broken, "localhost", seconds);
            Check.equal(1L, fallen.version(), "a damaged one falls back to the embedded one");
            Check.equal("applied:2", fallen.received(second, List.of()), "and is replaced");
            Check.equal(2L, pinning(embedded, broken, "localhost", seconds).version(), "whole");
        }
        Storage failing = change -> { throw new IOException("full"); };
        Pinning unstored = pinning(embedded, failing, "localhost", seconds);
        Check.equal("applied:2:not-stored", unstored.received(second, List.of()), "one that cannot be stored");
        Check.equal(2L, unstored.version(), "counts all the same");
        for (boolean appliesAtOnce : new boolean[] {true, false}) {
            AtomicInteger reads = new AtomicInteger();
            AtomicBoolean isLocked = new AtomicBoolean(true);
            Storage locked = change -> {
                reads.incrementAndGet();
                if (isLocked.get()) throw new IOException("before the first unlock");
                storage.update(change);
            };
            Pinning waiting = new Pinning(embedded, locked, appliesAtOnce, "https://localhost/");
            Check.equal(1L, waiting.version(), "a storage that cannot be read yet");
            Check.equal("applied:2:not-stored", waiting.received(second, List.of()), "nor written");
            isLocked.set(false);
            Check.equal(appliesAtOnce ? "3 0" : "1 3", waiting.version() + " " + waiting.pending(), "is read at a later use");
            int count = reads.get();
            waiting.admit("localhost");
            Check.equal(count, reads.get(), "once");
            waiting.apply();
            Check.equal("3 0", waiting.version() + " " + waiting.pending(), "as one that has come");
        }
        for (String wrong : List.of("", "a.b.c", embedded.substring(10), "{}")) {
            Check.error(Code.CONFIGURATION, () -> pinning(wrong, Storage.memory(), "localhost", seconds), "an embedded text: " + wrong);
        }
        Pinning none = new Pinning(null, null, true);
        none.check("api.example.com", List.of());
        Check.equal(null, none.received(second, List.of()), "an app without a configuration takes none");
        Check.equal(0L, none.version() + none.pending(), "and has no version");
    }

    /** Ends are compared with the later clock, beginnings with the server's. */
    private static void clocks() throws Exception {
        Signer signer = new Signer("k1");
        String[] pins = new String[2];
        for (int i = 0; i < 2; i++) pins[i] = Bytes.base64(Bytes.sha256(new byte[] {(byte) i}));
        String none = Bytes.base64(new byte[32]);
        long end = Signer.seconds() + 3600;
        Map<String, Object> claims = Signer.with(signer.claims(1), "mode", "unpin", "did", "this", "exp", end, "pins",
            Json.of("pinned.example.com", new ArrayList<Object>(List.of(Json.of("pin", pins[0], "notAfter", end - 1),
                Json.of("pin", pins[1], "notBefore", end)))));
        AtomicLong seconds = new AtomicLong();
        AtomicLong offset = new AtomicLong();
        Pinning pinning = pinning(signer.sign(claims), Storage.memory(), "localhost", seconds);
        pinning.offset = () -> offset.get() * 1000;
        Object[][] cases = {{-1, 0, pins[0], "unpin"}, {0, 0, pins[1], null}, {0, -1, none, null}, {-1, 1, pins[1], null},
            {-1, -1, pins[0], "unpin"}, {1, -1, pins[1], null}};
        for (Object[] each : cases) {
            seconds.set(end + (Integer) each[0]);
            offset.set((Integer) each[1]);
            String where = "device's clock " + each[0] + ", server's ahead by " + each[1];
            Check.equal(Map.of("pinned.example.com", List.of(each[2])), pinning.pins(), where);
            Map<String, Object> body = Json.of();
            pinning.describe(body);
            Check.equal(each[3], body.get("configurationMode"), where);
            List<String> digests = List.of(pins);
            Check.equal(each[3] == null && each[2] == none, pinning.used().verdict("pinned.example.com", List.of(), digests,
                end + (Integer) each[0] + (Integer) each[1], end + (Integer) each[0] + Math.max(0, (Integer) each[1]))
                == SignedConfiguration.Verdict.REFUSED, where + ": a connection");
        }
        AtomicLong skew = new AtomicLong(2 * 3600_000);
        try (FakeBackend backend = new FakeBackend(); AssayClient client = backend.builder().tokens("https://api.example.com")
            .configuration(signer.sign(claims), Storage.memory()).build(ShiftedScheduler.by(skew))) {
            Check.equal(Map.of("pinned.example.com", List.of(pins[1])), client.pinning().pins(), "by the device's clock");
            Check.equal("1 null", fetch(backend, client, skew, null), "the mode has ended");
            Check.equal("1 null", fetch(backend, client, skew, null), "also when an answer has an earlier date");
            Check.equal(Map.of("pinned.example.com", List.of(none)), client.pinning().pins(), "as the first pin, and the second waits");
        }
    }

    private static void tokens() throws Exception {
        Signer signer = new Signer("k1");
        List<String> events = Collections.synchronizedList(new ArrayList<>());
        File file = new File(Files.createTempDirectory("assay-configuration").toFile(), "configuration");
        AtomicLong skew = new AtomicLong();
        Map<String, Object> claims = signer.claims(5);
        try (FakeBackend backend = new FakeBackend()) {
            AssayClient.Builder builder = backend.builder().tokens("https://api.example.com")
                .configuration(signer.sign(claims) + "\n", new FileStorage(file))
                .listener((event, detail, remedy) -> { if (event.equals("configuration")) events.add(detail); });
            try (AssayClient client = builder.build(ShiftedScheduler.by(skew))) {
                Check.equal("5 null", fetch(backend, client, skew, null), "the version that the app holds");
                Check.equal("5 null", fetch(backend, client, skew, signer.sign(signer.claims(6))), "a newer one comes");
                Check.equal(6L, client.pinning().version(), "and counts at once");
                String foreign = new Signer("k1").sign(signer.claims(7));
                Check.equal("6 null", fetch(backend, client, skew, foreign), "one that another key has signed");
                Check.equal(6L, client.pinning().version(), "does not");
                Object jkt = backend.bodies("/tokens").get(0).get("jkt");
                Map<String, Object> unpin = Signer.with(signer.claims(6), "mode", "unpin", "did", jkt, "exp", Signer.seconds() + 36000);
                fetch(backend, client, skew, signer.sign(unpin));
                Check.equal("6 unpin", fetch(backend, client, skew, null), "a mode is in the request");
                fetch(backend, client, skew, signer.sign(Signer.with(unpin, "exp", Signer.seconds() - 1)));
                Check.equal("6 null", fetch(backend, client, skew, null), "until it has ended, by the server's clock");
                fetch(backend, client, skew, signer.sign(unpin));
                fetch(backend, client, skew, signer.sign(signer.claims(6)));
                Check.equal("6 null", fetch(backend, client, skew, null), "or one without comes");
                Map<String, Object> block = Signer.with(unpin, "mode", "blockAll");
                fetch(backend, client, skew, signer.sign(Signer.with(block, "did", "another device")));
                fetch(backend, client, skew, signer.sign(Signer.with(block, "did", keyId(backend))));
                int calls = backend.server.requests.size();
                Check.error(Code.BLOCKED, () -> fetch(backend, client, skew, null), "an operator blocks the device of this key");
                Check.error(Code.BLOCKED, () -> client.secrets("maps"), "its backend");
                String orders = backend.server.url("/orders");
                Check.error(Code.BLOCKED, () -> client.send(AssayClient.KEY, "GET", orders, Map.of(), null), "all of it");
                Check.equal(calls, backend.server.requests.size(), "it asks nothing");
            }
            Check.equal("[applied:6, refused:signature, applied:6, applied:6, applied:6, applied:6, refused:did, applied:6]",
                events.toString(), "events");
            try (AssayClient client = builder.build()) {
                Check.equal(6L, client.pinning().version(), "a restart keeps it");
            }
            try (AssayClient client = backend.builder().tokens("https://api.example.com").build()) {
                Check.equal("null null", fetch(backend, client, skew, null), "an app without a configuration asks for none");
            }
        }
    }

    private static String keyId(FakeBackend backend) {
        Map<String, Object> record = Json.object(backend.bodies("/tokens").get(0).get("record"));
        return Json.write(record).replaceAll("(?s).*keyid=\\\\\"([^\\\\]*)\\\\\".*", "$1");
    }

    /** Has the client fetch a token, with a configuration beside it. Returns what the request says of the one that it holds. */
    private static String fetch(FakeBackend backend, AssayClient client, AtomicLong skew, String configuration) throws Exception {
        backend.configuration = configuration;
        // The last token is over.
        skew.addAndGet(61_000);
        client.authorize("GET", "https://api.example.com/orders").lost(true);
        List<Map<String, Object>> bodies = backend.bodies("/tokens");
        Map<String, Object> body = bodies.get(bodies.size() - 1);
        return body.get("configuration") + " " + body.get("configurationMode");
    }
}
