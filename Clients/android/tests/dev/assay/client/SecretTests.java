package dev.assay.client;

import dev.assay.client.AssayClientException.Code;
import dev.assay.client.okhttp.AssayInterceptor;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.Security;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import okhttp3.Cache;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/** Runtime secrets: sealed for the client, held until they end, and put into requests to the hosts that may have them. */
public final class SecretTests {
    /** A key, and a JWE for it that pyca/cryptography has made. */
    private static final String KEY = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg4ViIx4QLMCpBlz/VIBwTTrr+xUMC/xGOiEjParmAu9uhRANCAAS1"
        + "ueiL9GqvZmXnrondJZYJM3X1O+GdNRiujX5oBCA1QLsqtdY6AsNcvkWozW6VShwdLe+EmU3j3KcLeW9HXuNs";
    private static final String JWE = "eyJhbGciOiJFQ0RILUVTIiwiZW5jIjoiQTI1NkdDTSIsImVwayI6eyJrdHkiOiJFQyIsImNydiI6IlAtMjU2IiwieCI6IkswWEs1"
        + "cVNNdU1UMGtndjB2TUo3MTVqSkRscWlONmYzUHlfZjhFVmtjdmciLCJ5IjoiYlJZMFhYT2dITWo4akc3R2hqbElQLWNpNkE0TTg0"
        + "S1dLenNwQmVjeUl4WSJ9LCJ0eXAiOiJhc3NheS1zZWNyZXRzIn0..UQ7Wjskb7FyhAG8h.pEnHeagNDZwGk77YB4FNEm-t.kDQee"
        + "cmWIBH8a4AxIsc8ZQ";
    private static final Substitution MAPS = Substitution.query("k&y", "maps", "LOCALHOST");
    private static final Substitution FLAGS = Substitution.header("X-Flags", "Bearer ", "flags", "localhost");
    private static final Substitution ELSEWHERE = Substitution.header("X-Pay", "", "pay", "pay.example.com");

    private SecretTests() {}

    public static void main(String[] arguments) throws Exception {
        Security.addProvider(StubKeystore.SHARED);
        jwe();
        Check.done("JWE");
        delivery();
        Check.done("secrets");
        failures();
        Check.done("failures");
        substitution();
        Check.done("substitution");
        okhttp();
        Check.done("substitution in OkHttp");
        System.exit(0);
    }

    private static void jwe() throws Exception {
        byte[] encoded = Base64.getDecoder().decode(KEY);
        KeyPair pair = new KeyPair(null, KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(encoded)));
        Check.equal("{\"text\":\"größe\"}", new String(Jose.open(JWE, pair, "assay-secrets"), Bytes.UTF_8), "another library's JWE");
        Check.fails(java.security.GeneralSecurityException.class, () -> Jose.open(JWE, pair, "other"), "another type");
        Check.fails(java.security.GeneralSecurityException.class, () -> Jose.open(JWE, Attester.pair(), "assay-secrets"), "another key");
        for (int at = 0; at < JWE.length(); at++) {
            String changed = JWE.substring(0, at) + (JWE.charAt(at) == 'A' ? 'B' : 'A') + JWE.substring(at + 1);
            Check.fails(java.security.GeneralSecurityException.class, () -> Jose.open(changed, pair, "assay-secrets"), "changed at " + at);
        }
        KeyPair other = Attester.pair();
        Map<String, Object> jwk = Tokens.jwk(other.getPublic());
        Check.equal(other.getPublic(), Jose.key(jwk), "a key");
        for (String[] wrong : new String[][] {{"x", (String) jwk.get("y")}, {"y", "AA"}, {"crv", "P-384"}, {"kty", "OKP"}}) {
            Check.equal(null, Jose.key(Signer.with(jwk, wrong[0], wrong[1])), "no key on the curve: " + wrong[0]);
        }
    }

    private static void delivery() throws Exception {
        AtomicLong skew = new AtomicLong();
        List<String> events = Collections.synchronizedList(new ArrayList<>());
        try (FakeBackend backend = new FakeBackend();
            AssayClient client = backend.builder().listener((event, detail, remedy) -> events.add(event + detail + remedy))
                .build(ShiftedScheduler.by(skew))) {
            backend.secrets = Map.of("maps", "canary-1\nsecond line", "flags", "canary-2");
            Check.equal(Map.of("maps", "canary-1\nsecond line", "flags", "canary-2"), client.secrets("flags", "maps"), "the values");
            Map<String, Object> body = backend.bodies("/secrets").get(0);
            Check.equal("[record, challenge, names, jwk]", body.keySet().toString(), "the request");
            Fields evidence = Fields.of("e", Json.object(Json.object(body.get("record")).get("evidence")));
            Check.equal(backend.server.url("/secrets"), evidence.text("targetURI"), "signed for this endpoint");
            String nonce = Bytes.base64url(Bytes.sha256(Bytes.utf8("assay-secrets\n" + body.get("challenge") + "\nflags,maps\n"
                + Tokens.thumbprint(Jose.key(body.get("jwk"))) + "\n")));
            Check.that(evidence.values.toString().contains(";nonce=\"" + nonce + "\""), "over challenge, names and key");
            Check.equal("canary-2", client.secrets("flags").get("flags"), "values are held");
            Check.equal(1, backend.bodies("/secrets").size(), "in memory");
            skew.addAndGet(3540_000);
            client.secrets("maps");
            Check.equal(1, backend.bodies("/secrets").size(), "until shortly before their end");
            skew.addAndGet(60_000);
            client.secrets("maps");
            Check.equal(2, backend.bodies("/secrets").size(), "and then are fetched again");
            Check.that(!body.get("jwk").equals(backend.bodies("/secrets").get(1).get("jwk")), "for another key");
            skew.addAndGet(-7200_000);
            client.secrets("maps");
            Check.equal(3, backend.bodies("/secrets").size(), "also when the clock was set back");
            client.forget();
            client.secrets("maps");
            Check.equal(4, backend.bodies("/secrets").size(), "or the account was forgotten");
            Check.that(!events.toString().contains("canary"), "no event has a value");
        }
        try (FakeBackend backend = new FakeBackend()) {
            AssayClient client = backend.builder().build();
            client.close();
            Check.error(Code.CLOSED, () -> client.secrets("maps"), "a client that was closed");
        }
        try (FakeBackend backend = new FakeBackend(); AssayClient client = backend.builder().challengeForEachRequest().build()) {
            backend.secrets = Map.of("maps", "v");
            List<CompletableFuture<Object>> callers = new ArrayList<>();
            for (int i = 0; i < 20; i++) callers.add(CompletableFuture.supplyAsync(() -> {
                try {
                    return client.secrets("maps").get("maps");
                } catch (AssayClientException error) {
                    return error;
                }
            }, task -> new Thread(task).start()));
            for (CompletableFuture<Object> caller : callers) Check.equal("v", caller.get(), "twenty callers");
            Check.equal(1, backend.bodies("/secrets").size(), "one request");
        }
    }

    private static String problem(int status, String word, String code) {
        return status + " " + Json.write(Json.of("status", (long) status, "code", code, "error", word));
    }

    private static void failures() throws Exception {
        Map<String, Code> answers = Map.of(problem(404, "UNKNOWN_KEY", "unknown-secret"), Code.UNKNOWN_SECRET,
            problem(409, "DISABLED", "secrets-disabled"), Code.SECRETS_DISABLED,
            problem(400, "BAD_KEY", "invalid-secret-name"), Code.INVALID_SECRET_NAME,
            "403 {\"error\":\"REJECTED\",\"remedy\":\"update-app\",\"arc\":\"RMPAKMHI\"}", Code.REFUSED,
            problem(422, null, "evidence-not-bound"), Code.CONFIGURATION, "503 {}", Code.UNAVAILABLE,
            "200 {\"secrets\":\"x\",\"expiresIn\":60}", Code.ANSWER, "200 {}", Code.ANSWER);
        for (Map.Entry<String, Code> answer : answers.entrySet()) {
            ShiftedScheduler scheduler = ShiftedScheduler.withHeldTimers();
            try (FakeBackend backend = new FakeBackend(); AssayClient client = backend.builder().build(scheduler)) {
                backend.secrets = Map.of("maps", "v");
                backend.answers = path -> path.equals("/secrets") ? answer.getKey() : null;
                AssayClientException error = Check.error(answer.getValue(), () -> client.secrets("maps"), answer.getKey());
                if (answer.getValue() == Code.REFUSED) {
                    Check.equal("update-app RMPAKMHI", error.remedy() + " " + error.platformCode(), "with remedy and response code");
                }
                int calls = backend.server.requests.size();
                Check.error(answer.getValue(), () -> client.secrets("maps"), "at once again: " + answer.getKey());
                Check.equal(calls, backend.server.requests.size(), "asks nothing");
                scheduler.release();
                Check.error(answer.getValue(), () -> client.secrets("maps"), "after the pause: " + answer.getKey());
                Check.that(answer.getValue() == Code.REFUSED || calls < backend.server.requests.size(), "asks again: " + answer.getKey());
                if (answer.getValue() == Code.REFUSED) continue;
                backend.answers = path -> null;
                client.networkIsBack();
                Check.equal("v", client.secrets("maps").get("maps"), "later: " + answer.getKey());
            }
        }
        Map<String, Object[]> contents = Map.of("challenge", new Object[] {"challenge", "other"}, "app", new Object[] {"app", "other"},
            "names", new Object[] {"secrets", Map.of("flags", "v")}, "kinds", new Object[] {"secrets", Map.of("maps", 7L)});
        for (Map.Entry<String, Object[]> wrong : contents.entrySet()) {
            try (FakeBackend backend = new FakeBackend(); AssayClient client = backend.builder().build()) {
                backend.secrets = Map.of("maps", "v");
                backend.content = claims -> Signer.with(claims, wrong.getValue());
                Check.error(Code.ANSWER, () -> client.secrets("maps"), "an answer to another request: " + wrong.getKey());
            }
        }
        try (FakeBackend backend = new FakeBackend(); AssayClient client = backend.builder().withoutEvidence("unsupported").build()) {
            Check.error(Code.PLATFORM, () -> client.secrets("maps"), "a device without evidence gets none");
            Check.equal(0, backend.bodies("/secrets").size(), "and does not ask");
        }
    }

    private static void substitution() throws Exception {
        try (FakeBackend backend = new FakeBackend(); TlsServer third = new TlsServer(null);
            AssayClient client = backend.builder().secrets(MAPS, FLAGS, ELSEWHERE).build()) {
            backend.secrets = Map.of("maps", "a&b=ü#", "flags", "f1", "pay", "p1");
            Map<String, String> fields = Map.of("x-flags", "mine", "X-Pay", "mine", "Other", "1");
            List<String> others = List.of("https://sub.localhost/", "https://localhost.example.com/", "https://user@localhost/",
                "https://localhost@other.example/", "https://127.0.0.1/", "ftp://localhost/", "http://pay.example.com/", "//localhost/");
            for (String other : others) {
                SubstitutedRequest request = client.substituted(other + "?k%26y=1#x", fields);
                Check.equal(other + "?k%26y=1#x", request.url(), "another URL");
                Check.equal(fields, request.fields(), "gets nothing: " + other);
            }
            Check.equal(0, backend.server.requests.size(), "and fetches nothing");
            String url = third.url("/tiles?x=1&k%26y=2&&k%26y&y=%C3%BC#part");
            SubstitutedRequest request = client.substituted(url, fields);
            Check.equal(third.url("/tiles?x=1&y=%C3%BC&k%26y=a%26b%3D%C3%BC%23"), request.url(), "the parameter");
            Check.equal(Map.of("X-Flags", "Bearer f1", "X-Pay", "mine", "Other", "1"), request.fields(), "and the field are replaced");
            Check.equal(third.url("/?k%26y=a%26b%3D%C3%BC%23"), client.substituted(third.url(""), Map.of()).url(), "or added");
            Check.equal(1, backend.bodies("/secrets").size(), "one request for all of them");
            Check.equal(List.of("maps", "flags"), backend.bodies("/secrets").get(0).get("names"), "that the host may have");

            third.answers = (path, body) -> "302 https://other.example/";
            Check.equal(302, client.send(AssayClient.KEY, "GET", url, fields, null).status, "a redirect is not followed");
            String sent = third.requests.get(0);
            Check.that(sent.startsWith("GET /tiles?x=1&y=%C3%BC&k%26y=a%26b%3D%C3%BC%23 ") && sent.contains("X-flags=[Bearer f1]")
                && sent.contains("Signature"), "sent and signed with the values: " + sent);

            Check.equal(302, client.send(AssayClient.NONE, "GET", url, fields, null).status, "a third party");
            Check.that(third.requests.get(1).contains("X-flags=[Bearer f1]") && !third.requests.get(1).contains("Signature"),
                "gets no evidence");

            backend.secrets = Map.of("maps", "v", "flags", "canary\nline");
            client.forget();
            AssayClientException error = Check.error(Code.CONFIGURATION, () -> client.substituted(url, fields), "no value of a field");
            Check.that(!error.getMessage().contains("canary"), "without the value");
        }
    }

    private static void okhttp() throws Exception {
        Path folder = Files.createTempDirectory("assay-cache");
        List<String> seen = new ArrayList<>();
        try (FakeBackend backend = new FakeBackend(); TlsServer third = new TlsServer(null);
            AssayClient client = backend.builder().secrets(MAPS, FLAGS).build(); Cache cache = new Cache(folder.toFile(), 1 << 20)) {
            backend.secrets = Map.of("maps", "canary-1", "flags", "canary-2");
            OkHttpClient base = new OkHttpClient.Builder().cache(cache).addInterceptor(chain -> {
                Response response = chain.proceed(chain.request());
                for (Response each : new Response[] {response, response.networkResponse(), response.cacheResponse(), response.priorResponse()}) {
                    if (each != null) seen.add(chain.request() + " " + each + " " + each.request() + each.request().headers());
                }
                return response;
            }).authenticator((route, response) ->
                response.priorResponse() != null ? null : response.request().newBuilder().header("Authorization", "mine").build()).build();
            for (AssayClient.Evidence evidence : List.of(AssayClient.KEY, AssayClient.NONE)) {
                OkHttpClient network = base.newBuilder().addNetworkInterceptor(chain -> chain.proceed(chain.request())).build();
                Check.that(Check.fails(IllegalArgumentException.class, () -> AssayInterceptor.install(network, client, evidence),
                    "interceptors of the network would see values").getMessage().contains("network interceptors (1)"), "it says so");
            }
            String redirect = "302 " + third.url("/there");
            for (String origin : new String[] {third.url(""), "https://other.example"}) {
                third.requests.clear();
                third.answers = (path, body) -> path.equals("/moved") ? redirect : "200 {}";
                OkHttpClient http = AssayInterceptor.install(base, client, AssayClient.KEY, origin);
                for (String path : new String[] {"/tiles", "/moved"}) {
                    Request request = new Request.Builder().url(third.url(path)).header("X-Flags", "mine").build();
                    try (Response response = http.newCall(request).execute()) {
                        Check.equal(path.equals("/moved") ? 302 : 200, response.code(), path);
                        response.body().bytes();
                    }
                }
                Check.equal(2, third.requests.size(), "the redirect is not followed");
                for (String sent : third.requests) {
                    Check.that(sent.contains("?k%26y=canary-1 ") && sent.contains("X-flags=[Bearer canary-2]"), "with the values: " + sent);
                    Check.equal(origin.equals(third.url("")), sent.contains("Signature"), "and with evidence for the origin: " + sent);
                }
            }
            third.requests.clear();
            third.answers = (path, body) -> "401 {}";
            OkHttpClient others = AssayInterceptor.install(base, client, AssayClient.KEY, "https://other.example");
            try (Response response = others.newCall(new Request.Builder().url(third.url("/tiles")).build()).execute()) {
                Check.equal("401 2", response.code() + " " + third.requests.size(), "the app's authenticator is asked for a third party");
            }
            Check.that(!seen.isEmpty() && !seen.toString().contains("canary"), "the app's interceptors see no value");
            cache.flush();
            for (File file : folder.toFile().listFiles()) {
                String text = new String(Files.readAllBytes(file.toPath()), java.nio.charset.StandardCharsets.ISO_8859_1);
                Check.that(!text.contains("canary"), "nor the cache");
            }
        }
    }
}
