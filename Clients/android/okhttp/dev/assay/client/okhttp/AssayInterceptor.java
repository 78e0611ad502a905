package dev.assay.client.okhttp;

import dev.assay.client.AssayClient;
import dev.assay.client.AssayClientException;
import dev.assay.client.HttpTransport;
import dev.assay.client.MessageBody;
import dev.assay.client.SignedRequest;
import dev.assay.client.SubstitutedRequest;
import dev.assay.client.TargetUri;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.security.cert.Certificate;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLPeerUnverifiedException;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.BufferedSink;
import okio.ForwardingSink;
import okio.Okio;

/**
 * Adds evidence to the requests of OkHttp, last of all, and sends them again if the server asks for other evidence. Holds connections to
 * the pins of the app's configuration, and writes runtime secrets into requests. Errors of the kit are an {@link IOException} whose cause
 * is an {@link AssayClientException}.
 */
public final class AssayInterceptor implements Interceptor {
    /** Bodies are read into memory, because they are read twice. */
    private static final long MAXIMUM_BODY = 8 << 20;
    private static final int MAXIMUM_REFUSAL = 1 << 16;
    private final AssayClient client;
    private final AssayClient.Evidence evidence;
    private final Set<String> origins = new HashSet<>();

    private AssayInterceptor(AssayClient client, AssayClient.Evidence evidence) {
        this.client = client;
        this.evidence = evidence;
    }

    /**
     * A client that adds evidence to its requests. It follows no redirects, which the signature would not cover, and repeats no request
     * on another connection: the server would take the second one for a replay. For the same reason it asks no authenticator about them. It
     * has the interceptors of `base`; add no others behind.
     *
     * @param origins of the servers that judge evidence, such as {@code https://api.example.com}; other requests have pins and secrets
     *     alone
     * @throws AssayClientException {@code bad-request} for an origin that is no URL of https
     * @throws IllegalArgumentException if {@code base} has interceptors of the network, and the client writes secrets into requests
     */
    public static OkHttpClient install(OkHttpClient base, AssayClient client, AssayClient.Evidence evidence, String... origins)
        throws AssayClientException {
        if (client.hasSubstitutions() && !base.networkInterceptors().isEmpty()) {
            throw new IllegalArgumentException("The OkHttpClient has network interceptors (" + base.networkInterceptors().size()
                + "), which would see the runtime secrets of requests: add them by addInterceptor, before install.");
        }
        AssayInterceptor interceptor = new AssayInterceptor(client, evidence);
        for (String origin : origins) interceptor.origins.add(origin(HttpUrl.get(TargetUri.of(origin).toString())));
        // An interceptor of the network sees each attempt: one that the client did not sign itself is refused. Web sockets have the
        // verifier alone, which sees new connections, and not those that are used again.
        return base.newBuilder().followRedirects(false).followSslRedirects(false).retryOnConnectionFailure(false)
            .authenticator((route, response) -> isSigned(response.request()) ? null : base.authenticator().authenticate(route, response))
            .hostnameVerifier(client.pinning().verifier(base.hostnameVerifier()))
            .addInterceptor(interceptor).addNetworkInterceptor(interceptor::once).build();
    }

    private static boolean isSigned(Request request) { return request.tag(Ticket.class) != null; }

    /** What a signed request has at OkHttp's network, once. */
    private static final class Ticket {
        private final SignedRequest signed;
        private final AtomicBoolean isUsed = new AtomicBoolean();

        Ticket(SignedRequest signed) { this.signed = signed; }
    }

    @Override public Response intercept(Chain chain) throws IOException {
        Request original = chain.request();
        try {
            client.pinning().admit(original.url().host());
            Request request = substituted(original);
            Response response = evident(chain, request);
            if (request == original) return response;
            // What the app logs of an answer has no secret. Those below it name the request that was sent.
            return response.newBuilder().request(original).networkResponse(null).cacheResponse(null).priorResponse(null).build();
        } catch (AssayClientException error) {
            throw new IOException(error.getMessage(), error);
        }
    }

    private Request substituted(Request request) throws AssayClientException {
        Map<String, String> fields = new HashMap<>();
        for (String name : request.headers().names()) fields.put(name, request.header(name));
        String url = request.url().toString();
        SubstitutedRequest substituted = client.substituted(url, fields);
        if (substituted.url().equals(url) && substituted.fields().equals(fields)) return request;
        // OkHttp's cache would keep the URL.
        Request.Builder next = request.newBuilder().url(substituted.url()).header("Cache-Control", "no-store");
        for (Map.Entry<String, String> field : substituted.fields().entrySet()) {
            if (!field.getValue().equals(fields.get(field.getKey()))) next.header(field.getKey(), field.getValue());
        }
        return next.build();
    }

    private Response evident(Chain chain, Request request) throws IOException, AssayClientException {
        if (!origins.contains(origin(request.url()))) return proceed(chain, request);
        byte[] content = content(request.body());
        RequestBody body = content == null ? null : RequestBody.create(request.body().contentType(), content);
        String url = TargetUri.of(request.url().toString()).toString();
        SignedRequest signed = evidence.of(client, request.method(), url, content == null ? null : MessageBody.bytes(content));
        while (true) {
            Request.Builder next = request.newBuilder().method(request.method(), body).tag(Ticket.class, new Ticket(signed));
            for (Map.Entry<String, String> field : signed.fields().entrySet()) next.header(field.getKey(), field.getValue());
            Response response = proceed(chain, next.build(), signed);
            SignedRequest again = next(signed, response);
            if (again == null) return response;
            response.close();
            signed = again;
        }
    }

    private static String origin(HttpUrl url) { return url.scheme() + "://" + url.host() + ":" + url.port(); }

    /** What to send in place of the request, or null. */
    private static SignedRequest next(SignedRequest signed, Response response) throws IOException, AssayClientException {
        try {
            return signed.answered(answer(response));
        } catch (IOException | AssayClientException | RuntimeException error) {
            response.close();
            signed.lost(true);
            throw error;
        }
    }

    private Response proceed(Chain chain, Request request) throws IOException, AssayClientException {
        try {
            return chain.proceed(request);
        } catch (SSLPeerUnverifiedException error) {
            AssayClientException refusal = client.pinning().refusal(request.url().host());
            if (refusal != null) throw refusal;
            throw error;
        }
    }

    private Response proceed(Chain chain, Request request, SignedRequest signed) throws IOException, AssayClientException {
        try {
            return proceed(chain, request);
        } catch (IOException | AssayClientException error) {
            signed.lost(request.tag(Ticket.class).isUsed.get());
            throw error;
        }
    }

    private Response once(Chain chain) throws IOException {
        Request request = chain.request();
        List<Certificate> presented = Collections.emptyList();
        if (chain.connection().handshake() != null) presented = chain.connection().handshake().peerCertificates();
        try {
            client.pinning().check(request.url().host(), presented);
        } catch (AssayClientException error) {
            throw new IOException(error.getMessage(), error);
        }
        Ticket ticket = request.tag(Ticket.class);
        if (ticket == null) return chain.proceed(request);
        if (ticket.isUsed.getAndSet(true)) {
            throw new IOException("A signed request is sent once: leave redirects and retryOnConnectionFailure off.");
        }
        for (Map.Entry<String, String> field : ticket.signed.fields().entrySet()) {
            if (field.getValue().equals(request.header(field.getKey()))) continue;
            throw new IOException("The field " + field.getKey() + " was changed after the kit had written it: add no interceptors behind.");
        }
        Response response = chain.proceed(request);
        // OkHttp would send the request again at once.
        return "0".equals(response.header("Retry-After")) ? response.newBuilder().header("Retry-After", "1").build() : response;
    }

    /** The body of a refusal, which tells a remedy. Others stay for the app. */
    private static HttpTransport.Answer answer(Response response) throws IOException {
        Map<String, String> fields = new HashMap<>();
        for (String name : response.headers().names()) fields.put(name.toLowerCase(Locale.ROOT), response.header(name));
        byte[] body = new byte[0];
        if (response.code() == 401 || response.code() == 403) {
            try (ResponseBody peeked = response.peekBody(MAXIMUM_REFUSAL)) {
                body = peeked.bytes();
            }
        }
        return new HttpTransport.Answer(response.code(), fields, body);
    }

    private static byte[] content(RequestBody body) throws IOException, AssayClientException {
        if (body == null) return null;
        if (isDuplex(body)) throw new IOException("A duplex body cannot be signed: send a body that ends before the answer.");
        if (body.contentLength() > MAXIMUM_BODY) throw tooLong();
        Buffer buffer = new Buffer();
        // The length may be unknown, or wrong.
        BufferedSink limited = Okio.buffer(new ForwardingSink(buffer) {
            @Override public void write(Buffer source, long count) throws IOException {
                if (buffer.size() + count > MAXIMUM_BODY) throw tooLong();
                super.write(source, count);
            }
        });
        body.writeTo(limited);
        limited.flush();
        return buffer.readByteArray();
    }

    private static IOException tooLong() {
        return new IOException("The body is longer than 8 MiB: send it by AssayClient.send from a file.");
    }

    /** OkHttp has duplex bodies since 3.14. */
    private static boolean isDuplex(RequestBody body) {
        try {
            return Boolean.TRUE.equals(RequestBody.class.getMethod("isDuplex").invoke(body));
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException old) {
            return false;
        }
    }
}
