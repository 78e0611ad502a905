package dev.assay.client;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Evidence for an app's requests: enrols a key of the device with the app's backend, and signs requests with it. One client serves one
 * account, from any number of threads. Its calls block, for up to a minute while it enrols: not on the main thread.
 */
public final class AssayClient implements AutoCloseable {
    private final ClientSettings settings;
    private final Scheduler scheduler;
    private final Enrolment enrolment;
    private final Tokens tokens;
    private final Secrets secrets;
    private final Pinning pinning;
    private final UrlConnectionTransport connections;
    private final Integrity integrity;
    private final AtomicLong serial = new AtomicLong();
    private volatile boolean closed;

    AssayClient(ClientSettings settings, Scheduler scheduler) throws AssayClientException {
        this.settings = settings;
        this.scheduler = scheduler;
        pinning = new Pinning(settings.configuration, settings.configurationStorage, settings.appliesAtOnce, settings.challengesUrl,
            settings.enrolmentsUrl, settings.tokensUrl, settings.secretsUrl);
        pinning.clock = scheduler::now;
        connections = new UrlConnectionTransport(pinning);
        Backend backend = new Backend(settings.transport == null ? connections : pinning.admitting(settings.transport), settings.session);
        enrolment = new Enrolment(settings, scheduler, backend);
        tokens = settings.audiences.isEmpty() ? null : new Tokens(settings, scheduler, backend, enrolment, pinning);
        pinning.offset = () -> enrolment.offset;
        secrets = new Secrets(settings, scheduler, backend, enrolment);
        integrity = settings.integrity == null ? null : new Integrity(settings, scheduler, backend, enrolment);
    }

    /**
     * A client for an app of the server's policy.
     *
     * @param app the app's name in the policy
     * @param baseUrl the backend's URL, below which are {@code /challenges}, {@code /enrolments}, {@code /tokens} and {@code /secrets}
     * @param keys the device's keystore
     * @param storage where the kit keeps its state: not in a backup
     */
    public static Builder builder(String app, String baseUrl, KeyPlatform keys, Storage storage) {
        return new Builder(app, baseUrl, keys, storage);
    }

    /** Begins the enrolment, and prepares Play Integrity, before there is a request. Returns at once. */
    public void prefetch() {
        enrolment.post(Fields.of("prefetch"));
        if (tokens != null) tokens.post(Fields.of("prefetch"));
        if (integrity != null) integrity.post(Fields.of("prefetch"));
    }

    /** Says that there is a network again: attempts that failed without one need not wait. */
    public void networkIsBack() {
        enrolment.post(Fields.of("wake", "network", true));
        if (tokens != null) tokens.post(Fields.of("network"));
        secrets.retry();
        if (integrity != null) integrity.post(Fields.of("wake", "network", true));
    }

    /**
     * Deletes the keys and the state of the account, because the account is deleted. On a logout, keep both. Blocks.
     *
     * @throws AssayClientException {@code storage} or {@code platform} if something is left: call it again
     */
    public void forget() throws AssayClientException { SignedRequest.Source.await(forgetLater(), settings.timeoutMillis, () -> {}); }

    CompletableFuture<Void> forgetLater() {
        if (tokens != null) tokens.post(Fields.of("forget"));
        secrets.forget();
        return enrolment.forget();
    }

    /**
     * Signs a request with the enrolled key. Blocks.
     *
     * @param url as it will be sent; see {@link TargetUri}
     * @param body null for none
     */
    public SignedRequest sign(String method, String url, MessageBody body) throws AssayClientException {
        return exchange(method, url, body).await();
    }

    /** As {@link #sign}, without blocking. What follows on the result must return at once, or run on another executor. */
    public CompletableFuture<SignedRequest> signLater(String method, String url, MessageBody body) throws AssayClientException {
        return exchange(method, url, body).next;
    }

    private Exchange exchange(String method, String url, MessageBody body) throws AssayClientException {
        return new Exchange(operation(), request(method, url, body), settings, enrolment);
    }

    /** Signs a request with a token of Play Integrity, for the rare request that needs one: Google counts them. Blocks. */
    public SignedRequest signWithPlayIntegrity(String method, String url, MessageBody body) throws AssayClientException {
        return integrity(method, url, body).await();
    }

    SignedRequest.Source integrity(String method, String url, MessageBody body) throws AssayClientException {
        if (integrity == null) throw AssayClientException.configuration("The client has no Play Integrity: set it in the builder.");
        return integrity.sign(operation(), request(method, url, body));
    }

    /** Authorizes a request with a token of the server and its DPoP proof. Blocks. */
    public SignedRequest authorize(String method, String url) throws AssayClientException {
        return authorized(method, url).await();
    }

    SignedRequest.Source authorized(String method, String url) throws AssayClientException {
        if (tokens == null) throw AssayClientException.configuration("The client has no tokens: set their audience in the builder.");
        return tokens.authorize(operation(), method, TargetUri.of(url));
    }

    /** The pins of the app's configuration. */
    public Pinning pinning() { return pinning; }

    /**
     * Runtime secrets of the server, by name. The kit holds them in memory until they expire; neither store nor log them. Blocks.
     *
     * @throws AssayClientException {@code unknown-secret}, {@code secrets-disabled}, {@code invalid-secret-name}, {@code refused}
     */
    public Map<String, String> secrets(String... names) throws AssayClientException {
        if (closed) throw AssayClientException.closed();
        return secrets.values(Arrays.asList(names));
    }

    /**
     * The request with the secrets that its host may have, for an HTTP client of the app's own, which must not follow redirects; before
     * {@link #sign}. {@link #send} and the interceptor do it themselves. Blocks.
     */
    public SubstitutedRequest substituted(String url, Map<String, String> fields) throws AssayClientException {
        if (closed) throw AssayClientException.closed();
        return secrets.substitute(url, fields);
    }

    /** Whether the builder's {@code secrets} names places in requests. */
    public boolean hasSubstitutions() { return settings.substitutions.length > 0; }

    /** How a request gets its evidence: {@link #sign}, {@link #authorize} or {@link #signWithPlayIntegrity}. */
    public interface Evidence {
        SignedRequest of(AssayClient client, String method, String url, MessageBody body) throws AssayClientException;
    }

    /** Evidence by the enrolled key. */
    public static final Evidence KEY = AssayClient::sign;
    /** Evidence by a token of the server. */
    public static final Evidence TOKEN = (client, method, url, body) -> client.authorize(method, url);
    /** Evidence by Play Integrity. */
    public static final Evidence PLAY_INTEGRITY = AssayClient::signWithPlayIntegrity;
    /** No evidence: for third parties, with pins and secrets alone. */
    public static final Evidence NONE = (client, method, url, body) -> client.without();

    private SignedRequest without() {
        return new SignedRequest(Collections.emptyMap(), false, new SignedRequest.Source("", settings) {
            @Override CompletableFuture<SignedRequest> answered(HttpTransport.Answer answer) { return null; }
            @Override void lost(boolean sent) {}
        });
    }

    /**
     * Sends a request with evidence by HttpURLConnection, again if the server asks for other evidence. Follows no redirect, which the
     * signature would not cover, and never repeats what the server may have executed. Blocks.
     *
     * @param fields of the request, such as {@code Content-Type}
     */
    public HttpTransport.Answer send(Evidence evidence, String method, String url, Map<String, String> fields, MessageBody body)
        throws AssayClientException {
        SubstitutedRequest request = substituted(url, fields);
        TargetUri target = TargetUri.of(request.url());
        pinning.admit(target.host());
        SignedRequest signed = evidence.of(this, method, request.url(), body);
        while (true) {
            HttpTransport.Answer answer;
            try {
                Map<String, String> all = new LinkedHashMap<>(request.fields());
                all.putAll(signed.fields());
                answer = connections.exchange(method, target.toString(), body, all);
            } catch (HttpTransport.NotSentException error) {
                signed.lost(false);
                AssayClientException refusal = Pinning.refusal(error);
                if (refusal != null) throw refusal;
                if (error.isMistake()) throw AssayClientException.notSent(error);
                throw AssayClientException.of(Fields.of("fail", "cause", "network", "code", error.getMessage()), error.getCause());
            } catch (IOException error) {
                signed.lost(true);
                String code = error.getClass().getSimpleName();
                throw AssayClientException.of(Fields.of("fail", "cause", "network", "code", code, "sent", true), error);
            }
            SignedRequest next = signed.answered(answer);
            if (next == null) return answer;
            signed = next;
        }
    }

    private String operation() throws AssayClientException {
        if (closed) throw AssayClientException.closed();
        return "r" + serial.incrementAndGet();
    }

    private RequestSignature request(String method, String url, MessageBody body) throws AssayClientException {
        return new RequestSignature(settings.label, method, TargetUri.of(url), body == null ? null : body.digest());
    }

    /** Ends the client's threads, and with {@code closed} what waits for evidence. */
    @Override public void close() {
        closed = true;
        enrolment.close();
        if (tokens != null) tokens.close();
        if (integrity != null) integrity.close();
        secrets.forget();
        scheduler.close();
    }

    /** Settings of a client. All but the first four have defaults. */
    public static final class Builder {
        private final ClientSettings settings = new ClientSettings();

        Builder(String app, String baseUrl, KeyPlatform keys, Storage storage) {
            settings.app = app;
            settings.keys = keys;
            settings.storage = storage;
            String base = baseUrl.endsWith("/") ? baseUrl.substring(0, baseUrl.length() - 1) : baseUrl;
            settings.secretsUrl = base + "/secrets";
            urls(base + "/challenges", base + "/enrolments", base + "/tokens");
            account("");
        }

        /** Other URLs of the backend than those below its base. */
        public Builder urls(String challenges, String enrolments, String tokens) {
            settings.challengesUrl = challenges;
            settings.enrolmentsUrl = enrolments;
            settings.tokensUrl = tokens;
            return this;
        }

        /** Another URL of the backend for secrets than that below its base. */
        public Builder secretsUrl(String url) { settings.secretsUrl = url; return this; }

        /**
         * The app's signed configuration, by whose pins the kit connects. Tokens bring newer ones, and so {@link #tokens} must be set.
         *
         * @param embedded the content of the file that {@code assay pins configuration} has written
         * @param storage where newer ones are kept: another one than that of the keys, and one for all accounts
         */
        public Builder configuration(String embedded, Storage storage) {
            settings.configuration = Objects.requireNonNull(embedded);
            settings.configurationStorage = Objects.requireNonNull(storage);
            return this;
        }

        /** The app's own HTTP library has static pins: it calls {@link Pinning#apply} when it has those of {@link Pinning#pins}. */
        public Builder appliesConfigurationItself() { settings.appliesAtOnce = false; return this; }

        /** Where runtime secrets stand in requests to the hosts that may have them. */
        public Builder secrets(Substitution... substitutions) { settings.substitutions = substitutions.clone(); return this; }

        /** The account whose key it is. Each account has a storage of its own; no other than the session's. */
        public Builder account(String name) {
            settings.keyPrefix = "assay-" + Bytes.base64url(Bytes.sha256(Bytes.utf8(settings.app + "\n" + name))).substring(0, 22) + "-";
            return this;
        }

        /** The versions of the app and of the system, and a mark that a reinstallation changes, such as {@code firstInstallTime}. */
        public Builder versions(String app, String system, String installation) {
            settings.appVersion = app;
            settings.systemVersion = system;
            settings.installation = installation;
            return this;
        }

        /** Fields of the app's session for the kit's own requests; called for each of them, on a thread of the kit. */
        public Builder session(Supplier<Map<String, String>> fields) { settings.session = fields::get; return this; }

        /** Sends the kit's own requests; {@link Pinning#check} is its part then. */
        public Builder transport(HttpTransport transport) { settings.transport = transport; return this; }

        public Builder listener(ClientListener listener) { settings.listener = listener; return this; }

        public Builder playIntegrity(IntegrityPlatform integrity) { settings.integrity = integrity; return this; }

        /**
         * The audiences of tokens, of the policy's, if the app uses them; one signature of the enrolled key gives a token for each. A
         * request carries the token of the audience with which its URL begins, otherwise that of the first one.
         */
        public Builder tokens(String... audiences) { settings.audiences = Arrays.asList(audiences.clone()); return this; }

        /** Each signature takes a challenge of the server, for a policy with {@code requests: { nonce: ledger }}. */
        public Builder challengeForEachRequest() { settings.freshChallenges = true; return this; }

        /** A name of this process, other than those of processes that share the storage. Android's name of it without this. */
        public Builder process(String name) { settings.process = name; return this; }

        /** How many keys may be made within a day. Three without this. */
        public Builder keysADay(int count) { settings.keysADay = count; return this; }

        /** This process cannot attest: {@code unsupported}, {@code no-attestation-keys}, {@code no-play-services} or {@code failed}. */
        public Builder withoutEvidence(String reason) { settings.unsupported = reason; return this; }

        /** The label of signatures, if the policy names another. */
        public Builder label(String label) { settings.label = label; return this; }

        /** How long a call waits for evidence. A minute without this. */
        public Builder timeout(long milliseconds) { settings.timeoutMillis = milliseconds; return this; }

        /** @throws AssayClientException {@code configuration} or {@code bad-request} for values that cannot be right */
        public AssayClient build() throws AssayClientException { return build(Scheduler.threads()); }

        AssayClient build(Scheduler scheduler) throws AssayClientException {
            if (settings.app.isEmpty()) throw AssayClientException.configuration("The app has no name: give that of the policy.");
            boolean isLabel = settings.label.matches("[a-z*][a-z0-9_.*-]{0,63}");
            if (!isLabel) throw AssayClientException.configuration("The label is none of RFC 9421: use lower case.");
            if (settings.keysADay < 1) throw AssayClientException.configuration("There are no keys to make: set keysADay to 1 or more.");
            boolean isReason = settings.unsupported == null
                || settings.unsupported.matches("unsupported|no-attestation-keys|no-play-services|failed");
            if (!isReason) throw AssayClientException.configuration("The server does not know the reason of withoutEvidence.");
            for (String url : new String[] {settings.challengesUrl, settings.enrolmentsUrl, settings.tokensUrl, settings.secretsUrl}) {
                TargetUri.of(url);
            }
            return new AssayClient(settings, scheduler);
        }
    }
}
