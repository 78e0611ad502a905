package dev.assay.client;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.KeyPair;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;

/** A server on loopback, by TLS with any chain of certificates or without, that remembers what it was asked. */
final class TlsServer implements AutoCloseable {
    /** A certificate with its key. */
    static final class Identity {
        final KeyPair pair = Attester.pair();
        final X509Certificate certificate;
        private final String name;

        /** @param issuer null for a root; {@code name} with a dot or of {@code localhost} is a server's */
        Identity(String name, Identity issuer) throws Exception {
            this.name = name;
            boolean isServer = name.equals("localhost");
            Instant from = Instant.now().minus(Duration.ofDays(1));
            byte[] names = Attester.extension("2.5.29.17", false, Attester.sequence(Attester.tlv(0x82, Bytes.utf8(name))));
            byte[][] more = isServer ? new byte[][] {names} : new byte[0][];
            byte[] encoded = Attester.certificate(System.nanoTime(), name, issuer == null ? name : issuer.name, pair.getPublic(),
                (issuer == null ? this : issuer).pair.getPrivate(), from, from.plus(Duration.ofDays(30)), !isServer, more);
            certificate = (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(encoded));
        }

        String pin() { return Bytes.base64(Bytes.sha256(pair.getPublic().getEncoded())); }
    }

    private final HttpServer server;
    private final String scheme;
    /** Each request: method, target, and its fields. */
    final List<String> requests = Collections.synchronizedList(new ArrayList<>());
    final List<Map<String, Object>> bodies = Collections.synchronizedList(new ArrayList<>());
    /** The answer to a path and a body: status, space, JSON. */
    volatile BiFunction<String, Map<String, Object>, String> answers = (path, body) -> "200 {}";

    TlsServer(KeyPair pair, X509Certificate... chain) throws Exception {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getByName("localhost"), 0);
        scheme = pair == null ? "http" : "https";
        if (pair == null) {
            server = HttpServer.create(address, 10);
        } else {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {new Keys(pair.getPrivate(), chain)}, null, null);
            HttpsServer secure = HttpsServer.create(address, 10);
            secure.setHttpsConfigurator(new HttpsConfigurator(context));
            server = secure;
        }
        server.setExecutor(Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            return thread;
        }));
        server.createContext("/", exchange -> {
            try (exchange) {
                byte[] body = exchange.getRequestBody().readAllBytes();
                Map<String, Object> object = body.length == 0 ? Map.of() : Json.object(body);
                synchronized (this) {
                    String target = exchange.getRequestURI().toString();
                    requests.add(exchange.getRequestMethod() + " " + target + " " + exchange.getRequestHeaders().entrySet());
                    bodies.add(object);
                }
                String answer = answers.apply(exchange.getRequestURI().getPath(), object);
                byte[] content = Bytes.utf8(answer.substring(4));
                exchange.getResponseHeaders().set("Content-Type", "application/json");
                if (answer.startsWith("302")) exchange.getResponseHeaders().set("Location", answer.substring(4));
                exchange.sendResponseHeaders(Integer.parseInt(answer.substring(0, 3)), content.length);
                exchange.getResponseBody().write(content);
            } catch (Json.Malformed error) {
                throw new IOException(error);
            }
        });
        server.start();
    }

    String url(String path) { return scheme + "://localhost:" + server.getAddress().getPort() + path; }

    @Override public void close() { server.stop(0); }

    /** Presents the chain as it is, whatever is in it. */
    private static final class Keys extends X509ExtendedKeyManager {
        private final PrivateKey key;
        private final X509Certificate[] chain;

        Keys(PrivateKey key, X509Certificate[] chain) {
            this.key = key;
            this.chain = chain;
        }

        @Override public String chooseEngineServerAlias(String keyType, Principal[] issuers, SSLEngine engine) {
            return keyType.equals("EC") ? "server" : null;
        }

        @Override public String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) { return null; }
        @Override public String chooseClientAlias(String[] keyType, Principal[] issuers, Socket socket) { return null; }
        @Override public String[] getClientAliases(String keyType, Principal[] issuers) { return null; }
        @Override public String[] getServerAliases(String keyType, Principal[] issuers) { return new String[] {"server"}; }
        @Override public X509Certificate[] getCertificateChain(String alias) { return chain; }
        @Override public PrivateKey getPrivateKey(String alias) { return key; }
    }
}
