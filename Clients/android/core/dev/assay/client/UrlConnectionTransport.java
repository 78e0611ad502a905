package dev.assay.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.HttpsURLConnection;

/** The platform's own HTTP client. */
public final class UrlConnectionTransport implements HttpTransport {
    /** Whether this is Android; tests set it. */
    static boolean isAndroid = "Dalvik".equals(System.getProperty("java.vm.name"));
    private static final int CONNECT_MILLIS = 10_000;
    private static final int READ_MILLIS = 30_000;
    private final Pinning pinning;

    /** Without pins; a client makes its own. */
    public UrlConnectionTransport() { this(null); }

    UrlConnectionTransport(Pinning pinning) { this.pinning = pinning; }

    @Override public Answer post(String url, byte[] json, Map<String, String> fields) throws IOException {
        Map<String, String> all = new HashMap<>(fields);
        all.put("Content-Type", "application/json");
        all.put("Accept", "application/json, application/problem+json");
        return exchange("POST", url, MessageBody.bytes(json), all);
    }

    /**
     * Sends the request once: on Android, a stream of a fixed length keeps the platform from sending it again on another connection, also
     * an empty one. A JVM has no body of a 401 after such a stream; there, start with {@code -Dsun.net.http.retryPost=false}.
     */
    Answer exchange(String method, String url, MessageBody content, Map<String, String> fields) throws IOException {
        MessageBody body = content != null || method.matches("GET|HEAD") ? content : MessageBody.bytes(new byte[0]);
        HttpURLConnection connection;
        try {
            URL target = new URL(url);
            if (pinning != null) pinning.admit(target.getHost());
            connection = (HttpURLConnection) target.openConnection();
            connection.setRequestMethod(method);
            connection.setInstanceFollowRedirects(false);
            connection.setConnectTimeout(CONNECT_MILLIS);
            connection.setReadTimeout(READ_MILLIS);
            connection.setUseCaches(false);
            for (Map.Entry<String, String> field : fields.entrySet()) connection.setRequestProperty(field.getKey(), field.getValue());
            if (body != null) {
                connection.setDoOutput(true);
                if (isAndroid) connection.setFixedLengthStreamingMode(body.length());
            }
            if (pinning != null) connect(connection, target.getHost());
            else connection.connect();
        } catch (IOException | RuntimeException | AssayClientException error) {
            throw new NotSentException(error);
        }
        try {
            if (body != null) send(body, connection);
            return answer(connection);
        } finally {
            connection.disconnect();
        }
    }

    /** The check after the handshake is for connections and sessions that are used again. */
    private void connect(HttpURLConnection connection, String host) throws IOException, AssayClientException {
        HttpsURLConnection secure = connection instanceof HttpsURLConnection ? (HttpsURLConnection) connection : null;
        try {
            if (secure != null && pinning.factory() != null) secure.setSSLSocketFactory(pinning.factory());
            connection.connect();
            List<Certificate> none = Collections.emptyList();
            pinning.check(host, secure == null ? none : Arrays.asList(secure.getServerCertificates()));
        } catch (GeneralSecurityException error) {
            throw new IOException("the platform has no TLS", error);
        } catch (AssayClientException error) {
            connection.disconnect();
            throw error;
        }
    }

    private static void send(MessageBody body, HttpURLConnection connection) throws IOException {
        try (InputStream source = body.open(); OutputStream target = connection.getOutputStream()) {
            byte[] buffer = new byte[1 << 16];
            for (int n = source.read(buffer); n >= 0; n = source.read(buffer)) target.write(buffer, 0, n);
        }
    }

    private static Answer answer(HttpURLConnection connection) throws IOException {
        int status = connection.getResponseCode();
        if (status < 0) throw new IOException("no HTTP");
        Map<String, String> fields = new HashMap<>();
        for (Map.Entry<String, List<String>> field : connection.getHeaderFields().entrySet()) {
            if (field.getKey() != null) fields.put(field.getKey().toLowerCase(Locale.ROOT), field.getValue().get(0));
        }
        InputStream stream = status >= 400 ? connection.getErrorStream() : connection.getInputStream();
        return new Answer(status, fields, stream == null ? new byte[0] : read(stream, connection.getContentLengthLong()));
    }

    private static byte[] read(InputStream stream, long length) throws IOException {
        try (InputStream open = stream) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] buffer = new byte[1 << 14];
            for (int n = open.read(buffer); n >= 0; n = open.read(buffer)) {
                out.write(buffer, 0, n);
                if (out.size() > MAXIMUM_ANSWER) return null;
            }
            // Some implementations of the platform end a body early without an exception.
            if (length >= 0 && out.size() < length) throw new IOException("the answer was cut");
            return out.toByteArray();
        }
    }
}
