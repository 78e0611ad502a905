package dev.assay.client;

import dev.assay.client.AssayClientException.Code;
import dev.assay.client.okhttp.AssayInterceptor;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/** Connections go by the pins of the configuration in use, before a byte of a request is sent. */
public final class PinningTests {
    private static final String OTHER = Bytes.base64(Bytes.sha256(Bytes.utf8("another key")));
    private static Signer signer;
    private static TlsServer.Identity root;
    private static TlsServer.Identity authority;
    private static TlsServer.Identity leaf;
    /** An authority that the user has installed, such as that of a proxy. */
    private static TlsServer.Identity proxy;

    private PinningTests() {}

    public static void main(String[] arguments) throws Exception {
        signer = new Signer("k1");
        root = new TlsServer.Identity("Test Root", null);
        authority = new TlsServer.Identity("Test Authority", root);
        leaf = new TlsServer.Identity("localhost", authority);
        proxy = new TlsServer.Identity("Proxy Root", null);
        trust(root.certificate, proxy.certificate);
        connections();
        Check.done("connections by their pins");
        interception();
        Check.done("interception");
        changes();
        Check.done("another configuration");
        modes();
        Check.done("modes and force");
        android();
        Check.done("Android's validated chain");
        System.exit(0);
    }

    /** What the system trusts, before anything asks for it. */
    private static void trust(X509Certificate... roots) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        for (X509Certificate each : roots) store.setCertificateEntry(each.getSubjectX500Principal().getName(), each);
        Path file = Files.createTempFile("assay", ".p12");
        file.toFile().deleteOnExit();
        try (OutputStream out = Files.newOutputStream(file)) {
            store.store(out, "password".toCharArray());
        }
        System.setProperty("javax.net.ssl.trustStore", file.toString());
        System.setProperty("javax.net.ssl.trustStorePassword", "password");
    }

    /** Both ways of the kit to send a request. */
    private interface Way {
        int get(AssayClient client, String url) throws AssayClientException;

        Way CONNECTION = (client, url) -> client.send(AssayClient.KEY, "GET", url, Map.of(), null).status;
        Way OKHTTP = way(false);
        Way UNSIGNED = way(true);

        static Way way(boolean isUnsigned) {
            return new Way() {
                private AssayClient of;
                private OkHttpClient http;

                @Override public int get(AssayClient client, String url) throws AssayClientException {
                    String[] origins = isUnsigned ? new String[0] : new String[] {url};
                    if (of != client) http = AssayInterceptor.install(new OkHttpClient(), client, AssayClient.KEY, origins);
                    of = client;
                    try (Response response = http.newCall(new Request.Builder().url(url).build()).execute()) {
                        return response.code();
                    } catch (IOException error) {
                        if (error.getCause() instanceof AssayClientException) throw (AssayClientException) error.getCause();
                        throw AssayClientException.of(Fields.of("fail", "cause", "network"), error);
                    }
                }
            };
        }
    }

    private static final List<Way> WAYS = List.of(Way.CONNECTION, Way.OKHTTP, Way.UNSIGNED);

    private static AssayClient.Builder builder(TlsServer server, String configuration) {
        return AssayClient.builder("shop-android", server.url(""), new dev.assay.client.android.AndroidKeystore(), Storage.memory())
            .withoutEvidence("unsupported").configuration(configuration, Storage.memory());
    }

    private static AssayClient client(TlsServer server, String... pins) throws Exception {
        return builder(server, signer.sign(signer.claims(1, "localhost", List.of(pins)))).build();
    }

    private static void refused(Code code, TlsServer server, AssayClient client, Way way, String rule) {
        server.requests.clear();
        AssayClientException error = Check.error(code, () -> way.get(client, server.url("/orders")), rule);
        Check.that(!error.mayHaveBeenExecuted(), rule + ": it was not sent");
        Check.equal(List.of(), server.requests, rule + ": no request");
    }

    private static void connections() throws Exception {
        try (TlsServer server = new TlsServer(leaf.pair, leaf.certificate, authority.certificate);
            TlsServer clear = new TlsServer(null)) {
            for (Way way : WAYS) {
                for (TlsServer.Identity pinned : List.of(leaf, authority, root)) {
                    try (AssayClient client = client(server, OTHER, pinned.pin())) {
                        for (int i = 0; i < 2; i++) Check.equal(200, way.get(client, server.url("/")), "any certificate may have the pin");
                        client.pinning().check("LOCALHOST.", List.of(leaf.certificate, authority.certificate));
                    }
                }
                try (AssayClient client = client(server)) {
                    Check.equal(200, way.get(client, server.url("/")), "a host that is not pinned");
                    Check.equal(200, way.get(client, clear.url("/")), "also without TLS");
                }
                try (AssayClient client = client(server, OTHER)) {
                    refused(Code.PINS, server, client, way, "no certificate has the pin");
                    refused(Code.PINS, clear, client, way, "a pinned host without TLS");
                    Check.error(Code.NETWORK, () -> way.get(client, server.url("/").replace("localhost", "127.0.0.1")),
                        "a name that the certificate has not is not the pins' matter");
                }
                String all = signer.sign(signer.claims(1, "*", List.of(OTHER)));
                try (AssayClient client = builder(server, all).build()) {
                    refused(Code.PINS, server, client, way, "the pins of other hosts");
                }
            }
        }
    }

    private static void interception() throws Exception {
        TlsServer.Identity forged = new TlsServer.Identity("localhost", proxy);
        TlsServer.Identity unknown = new TlsServer.Identity("localhost", new TlsServer.Identity("Unknown Root", null));
        List<X509Certificate[]> chains = List.of(new X509Certificate[] {forged.certificate},
            new X509Certificate[] {forged.certificate, leaf.certificate, authority.certificate, root.certificate},
            new X509Certificate[] {forged.certificate, proxy.certificate, leaf.certificate, authority.certificate});
        for (X509Certificate[] chain : chains) {
            try (TlsServer server = new TlsServer(forged.pair, chain)) {
                for (Way way : WAYS) {
                    for (TlsServer.Identity pinned : List.of(leaf, authority, root)) {
                        try (AssayClient client = client(server, pinned.pin())) {
                            refused(Code.PINS, server, client, way, "a proxy that presents certificates of the server besides its own");
                            AssayClientException error = Check.error(Code.PINS, () -> client.pinning().check("localhost", List.of(chain)),
                                "the same for a client of the app's own");
                            Check.equal("version:1", error.platformCode(), "with the version of the pins");
                        }
                    }
                    try (AssayClient client = client(server, proxy.pin())) {
                        Check.equal(200, way.get(client, server.url("/")), "unless its authority is pinned");
                    }
                }
            }
        }
        try (TlsServer server = new TlsServer(unknown.pair, unknown.certificate)) {
            for (Way way : WAYS) {
                try (AssayClient client = client(server, unknown.pin())) {
                    refused(Code.NETWORK, server, client, way, "a pin does not replace the system's trust");
                }
            }
        }
    }

    private static void changes() throws Exception {
        try (TlsServer server = new TlsServer(leaf.pair, leaf.certificate, authority.certificate)) {
            for (Way way : WAYS) {
                try (AssayClient client = client(server, leaf.pin())) {
                    Check.equal(200, way.get(client, server.url("/")), "the first pins");
                    String next = signer.sign(signer.claims(2, "localhost", List.of(OTHER)));
                    Check.equal("applied:2", client.pinning().received(next, List.of()), "others");
                    refused(Code.PINS, server, client, way, "a connection of before is not used again");
                    Check.equal("forced:3", client.pinning().received(signer.sign(Signer.with(
                        signer.claims(3, "localhost", List.of(leaf.pin())), "force", 3L)), List.of()), "and others by force");
                    Check.equal(200, way.get(client, server.url("/")), "count at once");
                }
            }
        }
    }

    private static void modes() throws Exception {
        try (TlsServer server = new TlsServer(leaf.pair, leaf.certificate, authority.certificate)) {
            Map<String, Object> wrong = signer.claims(1, "localhost", List.of(OTHER));
            Map<String, Object> none = signer.claims(1, "localhost", List.of());
            for (Way way : WAYS) {
                try (AssayClient client = builder(server, signer.sign(mode(wrong, "unpin", 3600))).build()) {
                    Check.equal(200, way.get(client, server.url("/")), "a device without pins");
                }
                try (AssayClient client = builder(server, signer.sign(mode(wrong, "unpin", -60))).build()) {
                    refused(Code.PINS, server, client, way, "until the mode has ended");
                }
                try (AssayClient client = builder(server, signer.sign(mode(wrong, "block", 3600))).build()) {
                    refused(Code.BLOCKED, server, client, way, "pinned hosts are blocked");
                }
                try (AssayClient client = builder(server, signer.sign(mode(none, "block", 3600))).build()) {
                    Check.equal(200, way.get(client, server.url("/")), "others are not");
                }
                try (AssayClient client = builder(server, signer.sign(mode(none, "blockAll", 3600))).build()) {
                    refused(Code.BLOCKED, server, client, way, "nor the backend");
                }
                try (AssayClient client = builder(server, signer.sign(signer.claims(1, "localhost", List.of(leaf.pin()))))
                    .appliesConfigurationItself().build()) {
                    Map<String, Object> pins = signer.claims(2, "localhost", List.of(leaf.pin(), OTHER));
                    client.pinning().received(signer.sign(pins), List.of());
                    Check.equal("1 2", client.pinning().version() + " " + client.pinning().pending(), "newer pins wait for the app");
                    Check.equal(200, way.get(client, server.url("/")), "which goes on with its own");
                    client.pinning().received(signer.sign(Signer.with(pins, "version", 3L, "force", 2L)), List.of());
                    refused(Code.PINS_OUTDATED, server, client, way, "unless they are forced");
                    Check.equal(Map.of("localhost", List.of(leaf.pin(), OTHER)), client.pinning().pins(), "the app reads them");
                    client.pinning().apply();
                    Check.equal("3 0", client.pinning().version() + " " + client.pinning().pending(), "and applies them");
                    Check.equal(200, way.get(client, server.url("/")), "and then connects");
                }
            }
        }
    }

    private static Map<String, Object> mode(Map<String, Object> claims, String mode, long life) {
        return Signer.with(claims, "mode", mode, "did", "this", "exp", Signer.seconds() + life);
    }

    /** The stub notes what it is asked, and returns what it is given; the kit asks once about a chain. */
    private static void android() throws Exception {
        UrlConnectionTransport.isAndroid = true;
        X509Certificate[] presented = {leaf.certificate, authority.certificate};
        try (TlsServer server = new TlsServer(null)) {
            android.net.http.X509TrustManagerExtensions.validated = List.of(leaf.certificate, authority.certificate, root.certificate);
            try (AssayClient client = client(server, root.pin())) {
                client.pinning().check("localhost", List.of(presented));
                Check.equal("localhost", android.net.http.X509TrustManagerExtensions.host, "Android knows the host");
                android.net.http.X509TrustManagerExtensions.validated = null;
                client.pinning().check("localhost", List.of(presented));
                List<X509Certificate> alone = List.of(leaf.certificate);
                Check.error(Code.PINS, () -> client.pinning().check("localhost", alone), "a chain that Android refuses");
            }
            android.net.http.X509TrustManagerExtensions.validated = List.of(leaf.certificate, authority.certificate);
            try (AssayClient client = client(server, root.pin())) {
                Check.error(Code.PINS, () -> client.pinning().check("localhost", List.of(presented)), "a chain without the pin");
            }
        } finally {
            UrlConnectionTransport.isAndroid = false;
        }
    }
}
