package dev.assay.client;

import dev.assay.client.AssayClientException.Code;
import dev.assay.client.android.AndroidKeystore;
import java.io.IOException;
import java.security.Security;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;

/** How requests end when something about them is wrong: each with an error or an answer, and the next one is served again. */
public final class ClientTests {
    private static final String URL = "https://shop.example/x";
    private static ManualScheduler scheduler;
    private static List<String> calls;

    private ClientTests() {}

    public static void main(String[] arguments) throws Exception {
        java.util.TimeZone.setDefault(java.util.TimeZone.getTimeZone("GMT"));
        Security.addProvider(StubKeystore.SHARED);
        run("tokens after failures", ClientTests::tokensAfterFailures);
        run("tokens without evidence", ClientTests::tokensWithoutEvidence);
        run("answers to tokens", ClientTests::tokenAnswers);
        run("an account that is deleted", ClientTests::forget);
        run("requests that are given up", ClientTests::givenUp);
        run("a record of another account", ClientTests::otherAccount);
        run("settings", ClientTests::settings);
    }

    private static void run(String what, Check.Work work) throws Exception {
        StubKeystore.SHARED.reset();
        scheduler = new ManualScheduler();
        calls = new ArrayList<>();
        work.run();
        Check.done(what);
    }

    private static AssayClient.Builder builder() {
        return TimeTests.builder(scheduler, Storage.memory(), calls).tokens("https://shop.example");
    }

    private static int serial;

    private static CompletableFuture<SignedRequest> authorize(AssayClient client, String url) throws Exception {
        CompletableFuture<SignedRequest> result = client.authorized("GET", url).next;
        scheduler.pass(0);
        return result;
    }

    private static CompletableFuture<SignedRequest> sign(AssayClient client) throws Exception {
        CompletableFuture<SignedRequest> result = client.signLater("GET", URL, null);
        scheduler.pass(0);
        return result;
    }

    private static HttpTransport.Answer answer(int status, String json, String... fields) {
        Map<String, String> map = new java.util.HashMap<>(Map.of("content-type", "application/json"));
        for (int i = 0; i < fields.length; i += 2) map.put(fields[i], fields[i + 1]);
        return new HttpTransport.Answer(status, map, Bytes.utf8(json));
    }

    private static int tokens() { return Collections.frequency(calls, "tokens"); }

    private static void tokensAfterFailures() throws Exception {
        AssayClient client = builder().build(scheduler);
        for (String failing : new String[] {"generate", "chain", "load"}) {
            StubKeystore.SHARED.faults = (call, spec) -> {
                if (call.equals(failing)) throw new IllegalStateException("not what the platform documents");
            };
            AssayClientException error = Check.error(authorize(client, URL), "a keystore that throws anything in " + failing);
            Check.equal(Code.PLATFORM + " exception:IllegalStateException", error.code() + " " + error.platformCode(), "is an error");
            StubKeystore.SHARED.faults = (call, spec) -> {};
            scheduler.pass(400_000);
        }
        Check.that(authorize(client, URL).get().hasEvidence(), "and the next request gets a token");
        StubKeystore.SHARED.faults = (call, spec) -> {
            if (call.equals("initSign")) throw new IllegalStateException("no proof");
        };
        Check.equal(Code.PLATFORM, Check.error(authorize(client, URL), "a proof that fails").code(), "is an error too");
        StubKeystore.SHARED.faults = (call, spec) -> {};
        Check.that(authorize(client, URL).get().hasEvidence(), "of that request alone");
        scheduler.pass(400_000);
        scheduler.hangs = true;
        CompletableFuture<SignedRequest> waiting = authorize(client, URL);
        scheduler.pass(79_000);
        Check.that(!waiting.isDone(), "a fetch may take long");
        scheduler.pass(2_000);
        Check.equal(Code.NETWORK, Check.error(waiting, "but not for ever").code(), "a keystore or a server that does not answer");
        scheduler.hangs = false;
        client.networkIsBack();
        Check.that(authorize(client, URL).get().hasEvidence(), "a network that is back is tried at once");
    }

    private static void tokensWithoutEvidence() throws Exception {
        AssayClient client = builder().withoutEvidence("unsupported").versions("1", "16", "1").build(scheduler);
        for (int i = 0; i < 3; i++) {
            SignedRequest request = authorize(client, URL).get();
            Check.equal(Map.of("Assay-Evidence", "none;reason=unsupported;app-version=\"1\";system-version=\"16\""), request.fields(),
                "the request says why it has no token");
            Check.equal(null, request.source().answered(answer(200, "{}")), "and is answered");
        }
        SignedRequest refused = authorize(client, URL).get();
        AssayClientException error = Check.error(refused.source().answered(answer(403, "{\"remedy\":\"contact-support\"}")), "or refused");
        Check.equal("contact-support", error.remedy(), "with the remedy");
        Check.equal(0, calls.size(), "no call asks for a token without evidence");
    }

    private static String claims(SignedRequest request) {
        return new String(Base64.getUrlDecoder().decode(request.fields().get("DPoP").split("\\.")[1]), Bytes.UTF_8);
    }

    private static void tokenAnswers() throws Exception {
        AssayClient client = builder().build(scheduler);
        SignedRequest first = authorize(client, "https://a.example/x").get();
        Check.equal(null, first.source().answered(answer(200, "{}", "dpop-nonce", "nonce-of-a")), "an answer with a nonce");
        Check.that(claims(authorize(client, "https://a.example/y").get()).contains("\"nonce\":\"nonce-of-a\""), "goes into the next proof");
        SignedRequest other = authorize(client, "https://b.example/x").get();
        Check.that(!claims(other).contains("nonce-of-a"), "for the same server alone");
        AssayClientException error = Check.error(other.source().answered(answer(401, "{\"remedy\":\"update-app\"}")), "a remedy");
        Check.equal(Code.REFUSED + " update-app", error.code() + " " + error.remedy(), "is passed on");
        SignedRequest next = authorize(client, "https://b.example/x").get();
        Check.equal(1, tokens(), "the token stays");
        String invalid = "DPoP error=\"invalid_token\"";
        CompletableFuture<SignedRequest> again = next.source().answered(answer(401, "", "www-authenticate", invalid));
        scheduler.pass(0);
        Check.that(again.get().hasEvidence() && tokens() == 2, "invalid_token takes another one");
        for (int status : new int[] {302, 401, 403, 429, 503}) {
            Check.equal(null, authorize(client, URL).get().source().answered(answer(status, "{}")), "others are the app's: " + status);
        }
    }

    private static void forget() throws Exception {
        boolean[] full = {false};
        Storage memory = Storage.memory();
        Storage storage = change -> {
            if (full[0]) throw new IOException("no space");
            memory.update(change);
        };
        AssayClient client = TimeTests.builder(scheduler, storage, calls).tokens("https://shop.example").build(scheduler);
        Check.that(authorize(client, URL).get().hasEvidence(), "a token");
        Check.equal(2, StubKeystore.SHARED.aliases().size(), "an attested key, and one of proofs");
        full[0] = true;
        CompletableFuture<Void> failed = client.forgetLater();
        scheduler.pass(0);
        Check.equal(Code.STORAGE, Check.error(failed, "a storage that is full").code(), "keeps the account");
        full[0] = false;
        CompletableFuture<Void> done = client.forgetLater();
        scheduler.pass(0);
        Check.equal(null, done.get(), "the second attempt");
        Check.equal(List.of(), StubKeystore.SHARED.aliases(), "deletes both keys");
        memory.update(content -> {
            Check.that(!new String(content, Bytes.UTF_8).contains("\"enrolled\""), "and the state");
            return null;
        });
        StubKeystore.SHARED.faults = (call, spec) -> {
            if (call.equals("delete")) throw new IllegalStateException("busy");
        };
        CompletableFuture<Void> busy = client.forgetLater();
        scheduler.pass(0);
        Check.equal(Code.PLATFORM, Check.error(busy, "a keystore that deletes nothing").code(), "is an error");
    }

    private static void givenUp() throws Exception {
        AssayClient client = builder().build(scheduler);
        SignedRequest sent = sign(client).get();
        scheduler.hangs = true;
        List<CompletableFuture<SignedRequest>> waiting = new ArrayList<>();
        for (int i = 0; i < 1001; i++) waiting.add(sign(client));
        Check.equal(Code.CLOSED, Check.error(waiting.get(0), "the oldest of a thousand requests").code(), "is given up");
        Check.that(!waiting.get(1).isDone(), "no other");
        CompletableFuture<SignedRequest> late = sent.source().answered(answer(401, "{\"remedy\":\"retry\"}"));
        scheduler.pass(0);
        AssayClientException error = Check.error(late, "a rejection of a request that was given up");
        Check.equal(Code.REFUSED + " retry", error.code() + " " + error.remedy(), "says what the server has said");
        client.close();
        Check.error(Code.CLOSED, () -> client.sign("GET", URL, null), "a client that is closed");
        AssayClient threads = AssayClient.builder("shop", "https://shop.example", new AndroidKeystore(), Storage.memory())
            .transport((url, json, fields) -> {
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException end) {
                    throw new IOException(end);
                }
                return null;
            }).tokens("https://shop.example").build();
        CompletableFuture<SignedRequest> key = threads.signLater("GET", URL, null);
        CompletableFuture<SignedRequest> proof = threads.authorized("GET", URL).next;
        threads.close();
        for (CompletableFuture<SignedRequest> each : List.of(key, proof)) {
            ExecutionException closed = Check.fails(ExecutionException.class, each::get, "a request that waits");
            Check.equal(Code.CLOSED, ((AssayClientException) closed.getCause()).code(), "ends with its client");
        }
    }

    private static void otherAccount() throws Exception {
        Storage shared = Storage.memory();
        AssayClient first = TimeTests.builder(scheduler, shared, calls).account("a").build(scheduler);
        Check.that(sign(first).get().hasEvidence(), "the first account");
        List<String> before = StubKeystore.SHARED.aliases();
        AssayClient second = TimeTests.builder(scheduler, shared, calls).account("b").build(scheduler);
        Check.that(sign(second).get().hasEvidence(), "another account with the same storage, by mistake");
        List<String> after = StubKeystore.SHARED.aliases();
        Check.that(after.containsAll(before) && after.size() == 2, "makes a key of its own, and leaves the other");
    }

    private static void settings() throws Exception {
        Check.equal(new ClientSettings().process, new ClientSettings().process, "the process has its name, which a restart keeps");
        Check.error(Code.CONFIGURATION, () -> builder().withoutEvidence("tired").build(), "a reason that the server does not know");
        Check.error(Code.CONFIGURATION, () -> builder().keysADay(0).build(), "no keys");
        Check.error(Code.BAD_REQUEST, () -> AssayClient.builder("shop", "http://shop.example", new AndroidKeystore(), Storage.memory())
            .build(), "a backend without TLS");
        AssayClient client = builder().build(scheduler);
        Check.error(Code.BAD_REQUEST, () -> client.sign("GET", "http://shop.example/", null), "a request without TLS");
        Check.error(Code.BAD_REQUEST, () -> client.authorize("GET", "http://shop.example/"), "a token without TLS");
    }
}
