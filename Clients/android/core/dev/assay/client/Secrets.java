package dev.assay.client;

import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Runtime secrets of the server (`POST secrets`), sealed for a key of this process. They are in memory alone, until they expire. */
final class Secrets {
    private static final String TYPE = "assay-secrets";
    /** A value within this of its end is not used any more: the way to the third party takes time. */
    private static final long MARGIN_MILLIS = 5_000;
    /** How long a failure answers for the next attempt. */
    private static final long PAUSE_MILLIS = 5_000;
    private final ClientSettings settings;
    private final Scheduler scheduler;
    private final Backend backend;
    private final Enrolment enrolment;
    private final RequestSignature request;
    private final Map<String, Value> held = new HashMap<>();
    /** Fetches under way, and failures of a moment ago, by their names. */
    private final Map<List<String>, Fetch> fetches = new HashMap<>();

    private static final class Value {
        final String text;
        final long from;
        final long ends;

        Value(String text, long from, long ends) {
            this.text = text;
            this.from = from;
            this.ends = ends;
        }
    }

    Secrets(ClientSettings settings, Scheduler scheduler, Backend backend, Enrolment enrolment) throws AssayClientException {
        this.settings = settings;
        this.scheduler = scheduler;
        this.backend = backend;
        this.enrolment = enrolment;
        request = new RequestSignature(settings.label, "POST", TargetUri.of(settings.secretsUrl), null);
    }

    synchronized void forget() {
        held.clear();
        fetches.clear();
    }

    /** The network is back: failures without one are over. */
    synchronized void retry() { fetches.values().removeIf(fetch -> fetch.result.isDone()); }

    /** The values by name. Blocks while one of them is fetched. */
    Map<String, String> values(Collection<String> names) throws AssayClientException {
        Map<String, String> values = new LinkedHashMap<>();
        List<String> missing = new ArrayList<>();
        Fetch fetch;
        synchronized (this) {
            for (String name : new LinkedHashSet<>(names)) {
                Value value = held.get(name);
                boolean isUsable = value != null && value.from <= scheduler.now() && scheduler.now() < value.ends - MARGIN_MILLIS;
                if (isUsable) values.put(name, value.text);
                else missing.add(name);
            }
            if (missing.isEmpty()) return values;
            fetch = fetches.get(missing);
            if (fetch == null) {
                fetch = new Fetch(missing);
                fetches.put(missing, fetch);
                fetch.start();
            }
        }
        values.putAll(SignedRequest.Source.await(fetch.result, settings.timeoutMillis, () -> {}));
        return values;
    }

    /** The request with the secrets that its host may have. A URL that the kit does not take, such as http to a server, gets none. */
    SubstitutedRequest substitute(String url, Map<String, String> fields) throws AssayClientException {
        List<Substitution> wanted = new ArrayList<>();
        List<String> names = new ArrayList<>();
        String target = url;
        try {
            for (Substitution each : settings.substitutions) {
                if (!each.concerns(TargetUri.of(url))) continue;
                target = TargetUri.of(url).toString();
                wanted.add(each);
                names.add(each.secret);
            }
        } catch (AssayClientException unusable) {
            return new SubstitutedRequest(url, fields);
        }
        Map<String, String> all = new LinkedHashMap<>(fields);
        Map<String, String> values = wanted.isEmpty() ? Collections.emptyMap() : values(names);
        for (Substitution each : wanted) target = each.write(values.get(each.secret), target, all);
        return new SubstitutedRequest(target, all);
    }

    /** A request of the enrolment whose nonce binds the names and the key. */
    private final class Fetch implements Enrolment.Work {
        final CompletableFuture<Map<String, String>> result = new CompletableFuture<>();
        private final String op = "s" + Bytes.nonce();
        private final List<String> names;
        private KeyPair pair;
        private volatile String challenge = "";
        private volatile long asked;

        Fetch(List<String> names) { this.names = names; }

        void start() {
            scheduler.later(Enrolment.CALL_MILLIS, () -> {
                end(AssayClientException.of(Fields.of("fail", "cause", "network", "code", "timeout")));
                enrolment.post(Fields.of("cancel", "op", op));
            });
            scheduler.call(() -> {
                try {
                    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
                    generator.initialize(Jose.P256);
                    pair = generator.generateKeyPair();
                    enrolment.need(op, this, settings.freshChallenges);
                } catch (GeneralSecurityException | RuntimeException error) {
                    String code = PlatformException.of(error).code();
                    fail(AssayClientException.of(Fields.of("fail", "cause", "platform", "code", code), error));
                }
            });
        }

        @Override public RequestSignature request() { return request; }

        @Override public String nonce(String issued) {
            challenge = issued == null ? Bytes.base64url(Bytes.random(32)) : issued;
            String bound = TYPE + "\n" + challenge + "\n" + String.join(",", names) + "\n" + Tokens.thumbprint(pair.getPublic()) + "\n";
            return Bytes.base64url(Bytes.sha256(Bytes.utf8(bound)));
        }

        @Override public void send(Map<String, String> fields, Fields without) {
            if (without != null) {
                fail(AssayClientException.of(Fields.of("fail", "cause", "platform", "code", without.text("reason"))));
                enrolment.post(Fields.of("cancel", "op", op));
                return;
            }
            Map<String, Object> body = Json.of("record", request.record(settings.app, fields), "challenge", challenge, "names", names,
                "jwk", Tokens.jwk(pair.getPublic()));
            asked = scheduler.now();
            scheduler.call(() -> answered(backend.post(settings.secretsUrl, body)));
        }

        private void answered(Backend.Reply reply) {
            if (reply.remedy != null) {
                enrolment.post(reply.event("rejected", "op", op));
                return;
            }
            Map<String, String> values = reply.result == null ? null : open(Fields.of("secrets", reply.result));
            if (values != null) {
                enrolment.post(reply.event("judged", "op", op));
                end(null);
                result.complete(values);
                return;
            }
            if (reply.result != null) reply.cause = "answer";
            enrolment.post(reply.event("sendFailed", "op", op));
        }

        /** Holds the values of an answer; null if it is not one to this request. */
        private Map<String, String> open(Fields answer) {
            String sealed = answer.text("secrets");
            Long life = answer.number("expiresIn");
            if (sealed == null || life == null) return null;
            Map<String, String> values = new LinkedHashMap<>();
            try {
                Fields content = Fields.of("content", Json.object(Jose.open(sealed, pair, TYPE)));
                Map<String, Object> secrets = Json.object(content.values.get("secrets"));
                Long from = content.number("iat");
                Long to = content.number("exp");
                boolean isOurs = challenge.equals(content.text("challenge")) && settings.app.equals(content.text("app"));
                if (!isOurs || secrets == null || from == null || to == null) return null;
                for (String name : names) {
                    if (!(secrets.get(name) instanceof String)) return null;
                    values.put(name, (String) secrets.get(name));
                }
                hold(values, Math.max(0, Math.min(life, Math.min(to - from, 24 * 3600))) * 1000);
                return values;
            } catch (GeneralSecurityException | Json.Malformed error) {
                return null;
            }
        }

        private void hold(Map<String, String> values, long life) {
            synchronized (Secrets.this) {
                // After `forget` they are of an account that is no more.
                if (fetches.get(names) != this) return;
                values.forEach((name, text) -> held.put(name, new Value(text, asked, asked + life)));
            }
            scheduler.later(life, () -> {
                synchronized (Secrets.this) {
                    held.values().removeIf(value -> value.ends <= scheduler.now());
                }
            });
        }

        /** Ends the fetch. A failure answers for the next ones for a while. */
        private void end(AssayClientException error) {
            Runnable remove = () -> {
                synchronized (Secrets.this) {
                    fetches.remove(names, this);
                }
            };
            if (error == null) {
                remove.run();
            } else {
                Long wait = error.retryAfterSeconds();
                // Before the callers go on, so that none finds a failure that nothing ends.
                Runnable cancel = scheduler.later(wait == null ? PAUSE_MILLIS : Math.max(PAUSE_MILLIS, wait * 1000), remove);
                if (!result.completeExceptionally(error)) cancel.run();
            }
        }

        @Override public void done() {
            // The values came with the verdict.
        }

        @Override public void fail(AssayClientException error) { end(error); }
    }
}
