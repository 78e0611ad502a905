package dev.assay.client;

import dev.assay.client.AssayClientException.Code;
import dev.assay.client.android.AndroidKeystore;
import java.io.IOException;
import java.security.Security;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** What takes minutes on a device, with a clock of the test: StrongBox that does not answer, Google that fails, tokens that end. */
public final class TimeTests {
    private TimeTests() {}

    public static void main(String[] arguments) throws Exception {
        java.util.TimeZone.setDefault(java.util.TimeZone.getTimeZone("GMT"));
        Security.addProvider(StubKeystore.SHARED);
        StubKeystore.SHARED.reset();
        google();
        Check.done("Play Integrity that fails");
        hanging();
        Check.done("a keystore that does not answer");
        tokens();
        Check.done("the life of a token");
        storage();
        Check.done("storage that fails or is damaged");
    }

    private static void google() throws Exception {
        List<Long> calls = new ArrayList<>();
        ManualScheduler scheduler = new ManualScheduler();
        boolean[] works = {false};
        Runnable[] repaired = {null};
        IntegrityPlatform google = new IntegrityPlatform() {
            @Override public Object prepare() throws PlatformException {
                calls.add(scheduler.now);
                if (!works[0]) throw new PlatformException(PlatformException.Kind.LATER, "play-integrity:-1", null);
                return "provider";
            }

            @Override public String request(Object provider, String requestHash) { return "the token"; }
            @Override public void onRepaired(Runnable action) { repaired[0] = action; }
        };
        AssayClient client = AssayClient.builder("shop", "https://shop.example", new AndroidKeystore(),
            Storage.memory()).playIntegrity(google)
            .versions("5.1.0", "16", "1").build(scheduler);
        CompletableFuture<SignedRequest> first = client.integrity("GET", "https://shop.example/x", null).next;
        scheduler.pass(60_000);
        Check.equal("none;reason=failed;code=\"play-integrity:-1\";app-version=\"5.1.0\";system-version=\"16\"",
            first.get().fields().get("Assay-Evidence"), "after four attempts the request goes without evidence, and says why");
        Check.equal(4, calls.size(), "attempts");
        for (int i = 0; i < 50; i++) {
            CompletableFuture<SignedRequest> next = client.integrity("GET", "https://shop.example/x", null).next;
            scheduler.pass(1000);
            Check.that(!next.get().hasEvidence(), "so do the next ones, at once");
        }
        Check.equal(4, calls.size(), "without a call of Google");
        for (Runnable again : new Runnable[] {repaired[0], client::networkIsBack}) {
            int before = calls.size();
            again.run();
            scheduler.pass(0);
            CompletableFuture<SignedRequest> next = client.integrity("GET", "https://shop.example/x", null).next;
            scheduler.pass(60_000);
            Check.that(!next.get().hasEvidence(), "still none");
            Check.equal(before + 1, calls.size(), "what was repaired, and a network, are tried at once");
        }
        works[0] = true;
        scheduler.pass(60 * 60_000);
        calls.subList(0, 2).clear();
        CompletableFuture<SignedRequest> last = client.integrity("GET", "https://shop.example/x", null).next;
        scheduler.pass(0);
        Check.equal("assay=:" + Bytes.base64(Bytes.utf8("the token")) + ":", last.get().fields().get("Signature"),
            "later it is tried again");
        for (int i = 0; i < 20; i++) client.integrity("GET", "https://shop.example/x", null);
        scheduler.pass(0);
        Check.equal(5, calls.size(), "one provider serves all requests");
    }

    /** A backend that accepts everything. */
    static HttpTransport backend(ManualScheduler scheduler, List<String> calls) {
        return (url, json, fields) -> {
            calls.add(url.substring(url.lastIndexOf('/') + 1));
            String challenge = "challenge-" + calls.size() + "-0123456789";
            Map<String, Object> all = Json.of("outcome", "accept", "challenge", challenge, "token", "token-" + calls.size(), "expiresIn",
                300L,
                "expiresAt", new java.text.SimpleDateFormat("yyyy-MM-dd'T'HH:mm:ss'Z'").format(scheduler.now + 300_000));
            return new HttpTransport.Answer(201, Map.of("content-type", "application/json"), Bytes.utf8(Json.write(all)));
        };
    }

    static AssayClient.Builder builder(ManualScheduler scheduler, Storage storage, List<String> calls) {
        return AssayClient.builder("shop", "https://shop.example", new AndroidKeystore(), storage).transport(backend(scheduler, calls));
    }

    private static void hanging() throws Exception {
        ManualScheduler scheduler = new ManualScheduler();
        List<String> calls = new ArrayList<>();
        AssayClient client = builder(scheduler, Storage.memory(), calls).build(scheduler);
        scheduler.pass(0);
        CompletableFuture<SignedRequest> request = client.signLater("GET", "https://shop.example/x", null);
        // The challenge comes, and then no call returns.
        while (calls.isEmpty()) scheduler.tasks.remove(0).run();
        scheduler.hangs = true;
        scheduler.pass(79_000);
        Check.that(!request.isDone(), "a call may take long");
        scheduler.pass(2_000);
        AssayClientException error = Check.error(request, "a keystore that is busy for minutes");
        Check.equal(Code.PLATFORM + " keystore:timeout", error.code() + " " + error.platformCode(), "an error that says so");
        Check.that(error.retryAfterSeconds() != null, "and when to try again");
        scheduler.hangs = false;
        scheduler.pass(20_000);
        CompletableFuture<SignedRequest> later = client.signLater("GET", "https://shop.example/x", null);
        scheduler.pass(0);
        Check.that(later.get().hasEvidence(), "when it answers again, a key is made");
        Check.equal(1, StubKeystore.SHARED.aliases().size(), "one");
    }

    private static void tokens() throws Exception {
        ManualScheduler scheduler = new ManualScheduler();
        List<String> calls = new ArrayList<>();
        AssayClient client = builder(scheduler, Storage.memory(), calls).tokens("https://shop.example").build(scheduler);
        client.prefetch();
        scheduler.pass(1000);
        Check.equal(1, java.util.Collections.frequency(calls, "tokens"), "prefetched");
        List<String> used = new ArrayList<>();
        for (int second = 0; second < 900; second += 10) {
            CompletableFuture<SignedRequest> request = client.authorized("GET", "https://shop.example/x").next;
            scheduler.pass(10_000);
            String token = request.get().fields().get("Authorization");
            if (!used.contains(token)) used.add(token);
            request.get().answered(new HttpTransport.Answer(200, Map.of(), new byte[0]));
        }
        Check.that(used.size() == 4, "renewed before its end, and not more often: " + used.size());
    }

    private static void storage() throws Exception {
        ManualScheduler scheduler = new ManualScheduler();
        List<String> calls = new ArrayList<>();
        Storage full = change -> { throw new IOException("no space"); };
        AssayClient client = builder(scheduler, full, calls).build(scheduler);
        int made = StubKeystore.SHARED.made.size();
        CompletableFuture<SignedRequest> request = client.signLater("GET", "https://shop.example/x", null);
        scheduler.pass(0);
        Check.equal(Code.STORAGE, Check.error(request, "a storage that is full").code(), "is an error of its own");
        Check.equal(made, StubKeystore.SHARED.made.size(), "no key is made that could not be remembered");
        for (String content : new String[] {"", "{", "[]", "{\"format\":1}", "{\"record\":{\"phase\":\"enrolled\"}}",
            "{\"record\":{\"phase\":\"attested\",\"key\":\"k\"}}", "{\"record\":{\"phase\":\"enrolled\",\"key\":\"from a backup\"}}",
            "{\"record\":{\"phase\":\"submitted\",\"key\":\"k\",\"keysMade\":[\"x\",{}],\"failures\":\"many\"}}"}) {
            Storage storage = Storage.memory();
            storage.update(none -> Bytes.utf8(content));
            AssayClient next = builder(scheduler, storage, calls).build(scheduler);
            CompletableFuture<SignedRequest> signed = next.signLater("GET", "https://shop.example/x", null);
            scheduler.pass(0);
            Check.that(signed.get().hasEvidence(), "a content that is damaged or has no key makes another key: " + content);
        }
    }
}
