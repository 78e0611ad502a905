package dev.assay.client;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * The pins of the app's signed configuration: the newest that it embeds, has stored or has received with a token. The kit holds its own
 * connections to them; an app that uses another HTTP client calls {@link #admit} before a connection and {@link #check} after its
 * handshake. Without a configuration all hosts are unpinned.
 */
public final class Pinning {
    private static final int MAXIMUM_CHAINS = 100;
    private final SignedConfiguration embedded;
    private final Storage storage;
    private final Set<String> backends = new HashSet<>();
    /** Milliseconds since 1970, by the device's clock. */
    volatile LongSupplier clock = System::currentTimeMillis;
    /** How far the server's clock is ahead, in milliseconds, as far as it is known. */
    volatile LongSupplier offset = () -> 0;
    private final boolean appliesAtOnce;
    /** Whether the storage has been read. */
    private boolean isLoaded;
    /** The newest, and the one by whose pins the app connects. */
    private SignedConfiguration held;
    private SignedConfiguration used;
    /** Of the configuration in use: connections of an earlier one are not used again. */
    private SSLSocketFactory factory;
    private final Map<List<Object>, Collection<String>> validated = new ConcurrentHashMap<>();
    private final Set<String> refused = Collections.newSetFromMap(new ConcurrentHashMap<>());

    /** @param embedded a signed configuration, or null for no pins */
    Pinning(String embedded, Storage storage, boolean appliesAtOnce, String... backendUrls) throws AssayClientException {
        this.storage = storage;
        this.appliesAtOnce = appliesAtOnce;
        try {
            this.embedded = embedded == null ? null : SignedConfiguration.trusted(embedded.trim());
        } catch (SignedConfiguration.Refused error) {
            throw AssayClientException.configuration("The embedded configuration cannot be read (" + error.getMessage()
                + "): embed the file of `assay pins configuration`.");
        }
        for (String url : backendUrls) backends.add(SignedConfiguration.host(TargetUri.of(url).host()));
    }

    /** The version of the configuration in use; 0 for none. */
    public long version() { return load() ? used().version : 0; }

    /** The version of a newer configuration that waits for {@link #apply}; 0 for none. */
    public synchronized long pending() { return load() && held != used ? held.version : 0; }

    /**
     * The pins of the newest configuration that count now, base64 of SHA-256, by host. {@code *} stands for all other hosts, and a host
     * with an empty list has no pins.
     */
    public synchronized Map<String, List<String>> pins() { return load() ? held.pins(seconds(), latest()) : Collections.emptyMap(); }

    /** The newest configuration is in use from now on. */
    public synchronized void apply() { if (load()) use(held); }

    private long seconds() { return Math.floorDiv(clock.getAsLong() + offset.getAsLong(), 1000L); }

    /** By the later clock: an answer with an old date brings back no mode and no pin that has ended. */
    private long latest() { return Math.floorDiv(clock.getAsLong() + Math.max(0, offset.getAsLong()), 1000L); }

    /** Whether there is a configuration. Before the first unlock the storage cannot be read: the next use tries again. */
    private synchronized boolean load() {
        if (embedded == null || isLoaded) return embedded != null;
        boolean isFirst = held == null;
        if (isFirst) held = embedded;
        update(content -> null);
        // What is read later is as one that has come: the app may have taken the pins of the embedded one meanwhile.
        if (isFirst) use(held);
        return true;
    }

    synchronized SignedConfiguration used() { return used; }

    private void hold(SignedConfiguration next) {
        held = next;
        if (appliesAtOnce) use(next);
    }

    private void use(SignedConfiguration next) {
        if (next != used) factory = null;
        used = next;
    }

    /** Adds what a request for a token says about the configuration. */
    synchronized void describe(Map<String, Object> body) {
        if (!load()) return;
        String mode = held.mode(latest());
        body.put("configuration", held.version);
        if (!mode.equals("pin")) body.put("configurationMode", mode);
    }

    /**
     * Takes a configuration that came with tokens.
     *
     * @param devices what this device is called in configurations for it alone
     * @return what became of it, such as {@code applied:7}; null for one that is held already
     */
    synchronized String received(String text, Collection<String> devices) {
        if (!load()) return null;
        String[] outcome = {null};
        boolean isStored = update(content -> {
            try {
                SignedConfiguration next = held.successor(text, devices);
                if (next == held) return null;
                outcome[0] = (next.force > used.version ? "forced:" : "applied:") + next.version;
                hold(next);
                return Bytes.utf8(next.text + "\n" + Bytes.base64url(Bytes.sha256(Bytes.utf8(next.text))));
            } catch (SignedConfiguration.Refused error) {
                outcome[0] = "refused:" + error.getMessage();
                return null;
            }
        });
        return isStored || outcome[0] == null ? outcome[0] : outcome[0] + ":not-stored";
    }

    /** Takes over what another process has stored, and changes it. What cannot be stored counts all the same. */
    private boolean update(Storage.Change change) {
        boolean[] isChanged = {false};
        try {
            storage.update(content -> {
                SignedConfiguration stored = stored(content);
                // One of equal version may have a mode that has been ended here.
                boolean isNewer = stored != null && stored.isOf(held) && (held == embedded ? stored.version >= held.version
                    : stored.version > held.version);
                if (isNewer) hold(stored);
                isLoaded = true;
                isChanged[0] = true;
                return change.apply(content);
            });
            return true;
        } catch (IOException | RuntimeException error) {
            if (!isChanged[0]) change.apply(null);
            return false;
        }
    }

    /** A content that is damaged counts as none. */
    private static SignedConfiguration stored(byte[] content) {
        String[] lines = content == null ? new String[0] : new String(content, Bytes.UTF_8).split("\n", -1);
        if (lines.length != 2 || !Bytes.base64url(Bytes.sha256(Bytes.utf8(lines[0]))).equals(lines[1])) return null;
        try {
            return SignedConfiguration.trusted(lines[0]);
        } catch (SignedConfiguration.Refused error) {
            return null;
        }
    }

    /**
     * Call before a connection: refuses what no certificate can make good.
     *
     * @throws AssayClientException {@code blocked} if an operator has blocked this device, {@code pins-outdated} if the app must apply
     *     newer pins first
     */
    public synchronized void admit(String host) throws AssayClientException {
        if (!load()) return;
        String mode = held.mode(latest());
        boolean isRefused = held.verdict(host, backends, Collections.emptySet(), seconds(), latest())
            == SignedConfiguration.Verdict.REFUSED;
        if (mode.startsWith("block") && isRefused) throw AssayClientException.of(Fields.of("fail", "cause", "blocked"));
        boolean isPinned = !mode.equals("unpin") && (held.hasPins(host) || used.hasPins(host));
        if (held.force > used.version && isPinned) throw AssayClientException.of(Fields.of("fail", "cause", "pins-outdated"));
    }

    /**
     * Call after a handshake that the system's trust has accepted, before anything is sent, and before a connection is used again.
     *
     * @param presented the server's certificates, its own first; none for a connection without TLS
     * @throws AssayClientException {@code pins} if none of the validated chain has a key that the pins name, or {@code blocked}
     */
    public void check(String host, List<? extends Certificate> presented) throws AssayClientException {
        admit(host);
        check(host, presented.toArray(new Certificate[0]), "UNKNOWN");
    }

    /** A transport of the app's own, which is not asked while the backend is blocked. */
    HttpTransport admitting(HttpTransport other) {
        return (url, json, fields) -> {
            try {
                admit(TargetUri.of(url).host());
            } catch (AssayClientException error) {
                throw new HttpTransport.NotSentException(error);
            }
            return other.post(url, json, fields);
        };
    }

    private void check(String host, Certificate[] presented, String authType) throws AssayClientException {
        if (!load()) return;
        SignedConfiguration used = used();
        // The server has proved that it has the key of its own certificate, which the system has validated.
        Set<String> leaf = presented.length == 0 ? Collections.emptySet() : Collections.singleton(digest(presented[0]));
        if (used.verdict(host, backends, leaf, seconds(), latest()) != SignedConfiguration.Verdict.REFUSED) return;
        CertificateException failure = null;
        try {
            Collection<String> digests = presented.length == 0 ? leaf : digests(host, presented, authType);
            if (used.verdict(host, backends, digests, seconds(), latest()) != SignedConfiguration.Verdict.REFUSED) return;
        } catch (CertificateException error) {
            failure = error;
        }
        throw AssayClientException.of(Fields.of("fail", "cause", "pins", "code", "version:" + used.version), failure);
    }

    /** Those of the validated chain, which takes milliseconds to build. */
    private Collection<String> digests(String host, Certificate[] presented, String authType) throws CertificateException {
        List<Object> key = Arrays.asList(host, Arrays.asList(presented));
        Collection<String> digests = validated.get(key);
        if (digests != null) return digests;
        digests = new HashSet<>();
        X509Certificate[] chain = Arrays.copyOf(presented, presented.length, X509Certificate[].class);
        for (Certificate each : ValidatedChain.of(chain, authType, host)) digests.add(digest(each));
        if (validated.size() > MAXIMUM_CHAINS) validated.clear();
        validated.put(key, digests);
        return digests;
    }

    private static String digest(Certificate certificate) {
        return Bytes.base64(Bytes.sha256(certificate.getPublicKey().getEncoded()));
    }

    /**
     * A verifier that checks the pins, too, for clients that ask it at each handshake, as OkHttp does.
     *
     * @param other judges the name
     */
    public HostnameVerifier verifier(HostnameVerifier other) {
        if (embedded == null) return other;
        return (host, session) -> {
            refused.remove(host);
            if (!other.verify(host, session)) return false;
            try {
                check(host, Arrays.asList(certificates(session)));
                return true;
            } catch (AssayClientException error) {
                refused.add(host);
                return false;
            }
        };
    }

    private static Certificate[] certificates(SSLSession session) {
        try {
            return session.getPeerCertificates();
        } catch (SSLPeerUnverifiedException none) {
            return new Certificate[0];
        }
    }

    /** The error if {@link #verifier} has refused the last connection to the host for its pins, else null. */
    public AssayClientException refusal(String host) {
        return refused.contains(host) ? AssayClientException.of(Fields.of("fail", "cause", "pins")) : null;
    }

    /** For HttpsURLConnection: null without a configuration, for the platform's own. */
    synchronized SSLSocketFactory factory() throws GeneralSecurityException {
        if (!load() || factory != null) return factory;
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new Pinned(ValidatedChain.system())}, null);
        return factory = context.getSocketFactory();
    }

    /** The pins' refusal below an error of a handshake, or null. */
    static AssayClientException refusal(Throwable error) {
        Throwable cause = error;
        for (int i = 0; cause != null && i < 10; i++, cause = cause.getCause()) {
            if (cause instanceof AssayClientException) return (AssayClientException) cause;
        }
        return null;
    }

    /** The system's trust manager, and then the pins: within the handshake, so that every new connection passes it. */
    private final class Pinned extends X509ExtendedTrustManager {
        private final X509ExtendedTrustManager system;

        Pinned(X509ExtendedTrustManager system) { this.system = system; }

        @Override public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket) throws CertificateException {
            system.checkServerTrusted(chain, authType, socket);
            SSLSession session = socket instanceof SSLSocket ? ((SSLSocket) socket).getHandshakeSession() : null;
            String host = session == null ? null : session.getPeerHost();
            if (host == null) throw new CertificateException("The host of the connection is not known.");
            try {
                check(host, chain, authType);
            } catch (AssayClientException error) {
                throw new CertificateException(error.getMessage(), error);
            }
        }

        // HttpsURLConnection has sockets. Without one, the host is not known.
        @Override public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine) throws CertificateException {
            throw new CertificateException("Only sockets are checked here.");
        }

        @Override public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
            throw new CertificateException("Only sockets are checked here.");
        }

        @Override public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket) throws CertificateException {
            system.checkClientTrusted(chain, authType, socket);
        }

        @Override public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine) throws CertificateException {
            system.checkClientTrusted(chain, authType, engine);
        }

        @Override public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
            system.checkClientTrusted(chain, authType);
        }

        @Override public X509Certificate[] getAcceptedIssuers() { return system.getAcceptedIssuers(); }
    }
}
