package dev.assay.client;

import dev.assay.client.AssayClientException.Code;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** What reaches a server, how often, and what the kit says about it. */
public final class TransportTests {
    private TransportTests() {}

    public static void main(String[] arguments) throws Exception {
        once();
        Check.done("requests that are sent once");
        neverSent();
        Check.done("requests that cannot be sent");
    }

    /** Answers the first request on a connection, and ends it without an answer at the second. */
    private static final class Dropping implements AutoCloseable {
        final List<String> heads = Collections.synchronizedList(new ArrayList<>());
        private final ServerSocket socket = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());

        Dropping() throws IOException {
            Thread thread = new Thread(() -> {
                while (true) {
                    try (Socket connection = socket.accept()) {
                        for (int i = 0; i < 2; i++) {
                            String head = head(connection.getInputStream());
                            if (head.isEmpty()) break;
                            heads.add(head);
                            if (i == 0) connection.getOutputStream().write(Bytes.utf8("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"));
                        }
                    } catch (IOException closed) {
                        if (socket.isClosed()) return;
                    }
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        private static String head(InputStream stream) throws IOException {
            StringBuilder head = new StringBuilder();
            for (int b = stream.read(); b >= 0; b = stream.read()) {
                head.append((char) b);
                if (head.toString().endsWith("\r\n\r\n")) return head.toString();
            }
            return "";
        }

        String url() { return "http://127.0.0.1:" + socket.getLocalPort() + "/x"; }

        @Override public void close() throws IOException { socket.close(); }
    }

    private static void once() throws Exception {
        UrlConnectionTransport.isAndroid = true;
        try (Dropping server = new Dropping()) {
            for (String method : new String[] {"POST", "DELETE", "PUT"}) {
                server.heads.clear();
                // Leaves a connection for the next one, on which the server gives no answer.
                java.net.HttpURLConnection first = (java.net.HttpURLConnection) new java.net.URL(server.url()).openConnection();
                try (InputStream body = first.getInputStream()) {
                    while (body.read() >= 0) continue;
                }
                try {
                    new UrlConnectionTransport().exchange(method, server.url(), null, Map.of());
                } catch (HttpTransport.NotSentException error) {
                    throw new AssertionError("it was sent", error);
                } catch (IOException lost) {
                    Check.equal(2, server.heads.size(), method + " without an answer");
                }
                Check.equal(2, server.heads.size(), method + " without a body is sent once: " + server.heads);
                Check.that(server.heads.get(1).startsWith(method + " /x") && server.heads.get(1).contains("Content-Length: 0\r\n"),
                    "and says that it has no body");
            }
        } finally {
            UrlConnectionTransport.isAndroid = false;
        }
    }

    private static AssayClient client(Map<String, String> session) throws Exception {
        return AssayClient.builder("shop", "http://127.0.0.1:1", new dev.assay.client.android.AndroidKeystore(), Storage.memory())
            .withoutEvidence("unsupported").session(() -> session).build();
    }

    private static void neverSent() throws Exception {
        try (AssayClient client = client(Map.of())) {
            Check.Work wrong = () -> client.send(AssayClient.KEY, "GET", "http://127.0.0.1:1/", Map.of("X", "secret\nvalue"), null);
            AssayClientException field = Check.error(Code.CONFIGURATION, wrong, "a field that HTTP cannot have");
            Check.that(!field.mayHaveBeenExecuted() && !field.toString().contains("secret") && field.getCause() == null,
                "was not sent, and its value is in no error");
            Check.error(Code.CONFIGURATION, () -> client.send(AssayClient.KEY, "LINK", "http://127.0.0.1:1/", Map.of(), null),
                "a method that the platform does not know");
            AssayClientException refused = Check.error(Code.NETWORK,
                () -> client.send(AssayClient.KEY, "GET", "http://127.0.0.1:1/", Map.of(), null), "no server");
            Check.that(!refused.mayHaveBeenExecuted() && refused.getCause() instanceof ConnectException
                && refused.getMessage().contains("(ConnectException)"), "says what failed");
        }
        HttpTransport transport = new UrlConnectionTransport();
        Backend bad = new Backend(transport, () -> Map.of("X", "a\nb"));
        Backend throwing = new Backend(transport, () -> { throw new IllegalStateException("no session"); });
        for (Backend backend : new Backend[] {bad, throwing}) {
            Backend.Reply reply = backend.post("http://127.0.0.1:1/", Json.of());
            Check.that("configuration".equals(reply.cause) && !reply.sent, "wrong fields of the session: " + reply.code);
        }
    }
}
