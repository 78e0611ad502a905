package dev.assay.client;

import dev.assay.client.okhttp.AssayInterceptor;
import java.io.IOException;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.BufferedSink;
import okio.BufferedSource;
import okio.ForwardingSource;
import okio.Okio;

/** The interceptor in the real OkHttp. */
final class OkHttpTests {
    private static final MediaType JSON = MediaType.parse("application/json");

    private OkHttpTests() {}

    static void run(AssayService service) throws Exception {
        urls();
        try (AssayClient client = ServiceTests.builder(Storage.memory()).build()) {
            AtomicInteger seen = new AtomicInteger();
            OkHttpClient base = new OkHttpClient.Builder().authenticator((route, response) ->
                response.request().newBuilder().header("Authorization", "other").build()).addInterceptor(chain -> {
                seen.incrementAndGet();
                return chain.proceed(chain.request());
            }).build();
            OkHttpClient http = AssayInterceptor.install(base, client, AssayClient.KEY, service.url("/"));
            RequestBody body = RequestBody.create(JSON, Bytes.utf8("{\"amount\":42}"));
            for (int i = 0; i < 3; i++) Check.equal(201, status(http,
                new Request.Builder().url(service.url("/orders?id=ä")).post(body).build()), "a POST");
            Check.equal(201, status(http, new Request.Builder().url(service.url("/orders")).build()), "a GET");
            Check.equal(1, StubKeystore.SHARED.made.size(), "one key");
            service.restart();
            Check.equal(201, status(http, new Request.Builder().url(service.url("/orders")).post(body).build()),
                "the remedy is carried out");
            Check.equal(2, StubKeystore.SHARED.made.size(), "by another key");
            Check.equal(5, seen.get(), "the app's interceptors see each request once");
            Check.equal(201, status(http, new Request.Builder().url(service.url("/orders")).post(once()).build()),
                "a body that can be written once");
            String other = service.url("/orders").replace("127.0.0.1", "localhost");
            Check.equal(403, status(http, new Request.Builder().url(other).build()), "another origin gets no evidence");
            Check.fails(java.net.UnknownHostException.class, () -> status(http,
                new Request.Builder().url("https://user:pw@other.invalid/").build()), "a URL that cannot be signed goes to another origin");
            Check.error(AssayClientException.Code.BAD_REQUEST,
                () -> AssayInterceptor.install(base, client, AssayClient.KEY, "http://api.example.com"), "an origin without TLS");
            Check.that(Check.fails(IOException.class, () -> status(http, new Request.Builder().url(service.url("/orders")).post(endless())
                .build()), "a body of unknown length").getMessage().contains("8 MiB"), "is limited while it is read");
            service.fault = path -> path.equals("/moved") ? "302" : null;
            Check.equal(302, status(http, new Request.Builder().url(service.url("/moved")).build()), "a redirect is the app's to follow");
            for (String answer : new String[] {"503 0", "401", "408"}) {
                service.fault = path -> path.equals("/orders") ? answer : null;
                service.calls.clear();
                Check.equal(Integer.parseInt(answer.substring(0, 3)), status(http,
                    new Request.Builder().url(service.url("/orders")).build()),
                    "an answer after which OkHttp sends others again");
                Check.equal(1, service.calls.size(), "sends a signed request once");
            }
            service.fault = path -> path.equals("/orders") ? "after" : null;
            service.calls.clear();
            Check.fails(IOException.class, () -> status(http, new Request.Builder().url(service.url("/orders")).post(body).build()),
                "a lost answer");
            Check.equal(1, service.calls.size(), "the request is not sent again");
            service.fault = path -> null;
            OkHttpClient meddled = http.newBuilder().addInterceptor(chain ->
                chain.proceed(chain.request().newBuilder().header("Signature", "assay=:AAAA:").build())).build();
            Check.fails(IOException.class, () -> status(meddled, new Request.Builder().url(service.url("/orders")).build()),
                "an interceptor behind");
            boolean[] isClosed = {false};
            OkHttpClient cut = AssayInterceptor.install(base.newBuilder().addNetworkInterceptor(chain -> {
                Response response = chain.proceed(chain.request());
                return response.newBuilder().code(401).body(ResponseBody.create(JSON, -1, cut(response, isClosed))).build();
            }).build(), client, AssayClient.KEY, service.url("/"));
            Check.equal("cut", Check.fails(IOException.class,
                () -> status(cut, new Request.Builder().url(service.url("/orders")).build()), "a refusal that is cut").getMessage(), "");
            Check.that(isClosed[0], "leaves no connection open");
            OkHttpClient again = http.newBuilder().addInterceptor(chain -> {
                chain.proceed(chain.request()).close();
                return chain.proceed(chain.request());
            }).build();
            service.calls.clear();
            Check.fails(IOException.class, () -> status(again, new Request.Builder().url(service.url("/orders")).build()), "a second copy");
            Check.equal(1, service.calls.size(), "does not leave the device");
        }
    }

    private static int status(OkHttpClient http, Request request) throws IOException {
        try (Response response = http.newCall(request).execute()) {
            return response.code();
        }
    }

    private static BufferedSource cut(Response response, boolean[] isClosed) {
        return Okio.buffer(new ForwardingSource(response.body().source()) {
            @Override public long read(Buffer sink, long count) throws IOException { throw new IOException("cut"); }

            @Override public void close() throws IOException {
                isClosed[0] = true;
                super.close();
            }
        });
    }

    private static RequestBody endless() {
        return new RequestBody() {
            @Override public MediaType contentType() { return JSON; }
            @Override public void writeTo(BufferedSink sink) throws IOException { while (true) sink.write(new byte[1000]); }
        };
    }

    private static RequestBody once() {
        return new RequestBody() {
            private boolean isWritten;

            @Override public MediaType contentType() { return JSON; }

            @Override public void writeTo(BufferedSink sink) throws IOException {
                if (isWritten) throw new IOException("written twice");
                isWritten = true;
                sink.write(Bytes.utf8("{\"amount\":1}"));
            }
        };
    }

    /** The kit writes URLs as OkHttp does. */
    private static void urls() throws Exception {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("URLs, seed " + seed);
        Random random = new Random(seed);
        String[] parts = {"a", "B", "%2e", "%2E", "..", ".", "/", "//", "?", "&", "=", "%20", " ", "\"", "'", "<", ">", "^", "`", "{", "}",
            "|", "\\", "ä", "😀", "+",
            ";", ":", "@", "!", "$", "*", "(", ")", ",", "~", "-", "_", "%", "%zz", "[", "]"};
        for (int i = 0; i < 20_000; i++) {
            StringBuilder url = new StringBuilder(random.nextBoolean() ? "https://API.example.com" : "http://localhost:8080");
            if (random.nextInt(8) > 0) url.append('/');
            else url.append(random.nextBoolean() ? "?" : "");
            if (url.charAt(url.length() - 1) == '/' || url.charAt(url.length() - 1) == '?') {
                for (int n = random.nextInt(8); n > 0; n--) url.append(parts[random.nextInt(parts.length)]);
            }
            HttpUrl expected = HttpUrl.parse(url + "#part");
            Check.equal(expected.newBuilder().fragment(null).build().toString(), TargetUri.of(url + "#part").toString(), "as OkHttp writes "
                + url);
        }
    }
}
