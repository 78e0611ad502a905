package dev.assay.client;

import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** Tokens of the server (`POST tokens`), each bound to a key of the keystore by DPoP (RFC 9449). */
final class Tokens {
    private final ClientSettings settings;
    private final Scheduler scheduler;
    private final Backend backend;
    private final Enrolment enrolment;
    private final Pinning pinning;
    private final TokenModel model = new TokenModel();
    private final Map<String, Authorized> works = new LinkedHashMap<>();
    private final String alias;
    private final RequestSignature request;
    /** The nonces that services demand in proofs, by their origins. */
    private final Map<String, String> nonces = new ConcurrentHashMap<>();
    /** The last tokens, and those of before, by audience; the model knows that of the first audience. */
    private final Map<String, Map<String, String>> tickets = new LinkedHashMap<>();
    /** What requests say in place of a token on a device without evidence. */
    private Map<String, String> withoutEvidence;

    Tokens(ClientSettings settings, Scheduler scheduler, Backend backend, Enrolment enrolment, Pinning pinning)
        throws AssayClientException {
        this.settings = settings;
        this.scheduler = scheduler;
        this.backend = backend;
        this.enrolment = enrolment;
        this.pinning = pinning;
        alias = settings.proofKey();
        request = new RequestSignature(settings.label, "POST", TargetUri.of(settings.tokensUrl), null);
    }

    SignedRequest.Source authorize(String op, String method, TargetUri target) {
        Authorized work = new Authorized(op, method, target);
        scheduler.post(() -> {
            // Requests whose answers the app has never reported.
            if (works.size() >= Enrolment.MAXIMUM_WORKS) handle(Fields.of("done", "op", works.keySet().iterator().next()));
            works.put(op, work);
            handle(Fields.of("need", "op", op));
        });
        return work;
    }

    void post(Fields event) { scheduler.post(() -> handle(event)); }

    void close() {
        scheduler.post(() -> { for (String op : new ArrayList<>(works.keySet())) handle(Fields.of("done", "op", op)); });
    }

    private void handle(Fields event) {
        Authorized ended = event.name.equals("done") ? works.remove(event.text("op")) : null;
        if (ended != null) ended.next.completeExceptionally(AssayClientException.closed());
        for (Fields action : model.step(event, scheduler.now(), scheduler.jitter())) {
            Authorized work = works.get(action.text("op"));
            switch (action.name) {
                case "fetch": fetch(action.number("turn", 0)); break;
                case "use": if (work != null) work.use(action.text("token")); break;
                case "fail":
                    works.remove(action.text("op"));
                    if (work != null) work.fail(action);
                    break;
                // A token that nothing uses is not renewed: the next request after that time does it.
                default: break;
            }
        }
    }

    /** A request of the enrolment whose nonce binds the token. */
    private void fetch(long turn) {
        String op = "t" + Bytes.nonce();
        scheduler.later(Enrolment.CALL_MILLIS, () -> {
            handle(Fields.of("fetchFailed", "turn", turn, "cause", "network", "code", "timeout"));
            enrolment.post(Fields.of("cancel", "op", op));
        });
        scheduler.call(() -> {
            try {
                enrolment.need(op, new Fetch(op, turn, thumbprint(key())), settings.freshChallenges);
            } catch (PlatformException | RuntimeException error) {
                post(Fields.of("fetchFailed", "turn", turn, "cause", "platform", "code", PlatformException.of(error).code()));
            }
        });
    }

    private final class Fetch implements Enrolment.Work {
        private final String op;
        private final long turn;
        private final String jkt;
        private volatile String challenge = "";

        Fetch(String op, long turn, String jkt) {
            this.op = op;
            this.turn = turn;
            this.jkt = jkt;
        }

        @Override public RequestSignature request() { return request; }

        @Override public String nonce(String issued) {
            challenge = issued == null ? Bytes.base64url(Bytes.random(32)) : issued;
            return binding(challenge, String.join(" ", settings.audiences), jkt);
        }

        @Override public void send(Map<String, String> fields, Fields without) {
            if (without != null) {
                withoutEvidence = fields;
                handle(Fields.of("fetchFailed", "turn", turn, "cause", "unsupported"));
                enrolment.post(Fields.of("cancel", "op", op));
                return;
            }
            boolean isList = settings.audiences.size() > 1;
            Map<String, Object> record = request.record(settings.app, fields);
            Map<String, Object> body = Json.of("record", record, "challenge", challenge, isList ? "audiences" : "audience",
                isList ? settings.audiences : settings.audiences.get(0), "jkt", jkt);
            pinning.describe(body);
            scheduler.call(() -> answered(backend.post(settings.tokensUrl, body), RequestSignature.keyId(fields)));
        }

        private void answered(Backend.Reply reply, String keyId) {
            Object list = reply.result == null ? null
                : settings.audiences.size() == 1 ? Collections.singletonList(reply.result) : reply.result.get("tokens");
            List<?> found = list instanceof List ? (List<?>) list : Collections.emptyList();
            Map<String, String> tokens = new LinkedHashMap<>();
            long life = Long.MAX_VALUE;
            for (int i = 0; i < Math.min(found.size(), settings.audiences.size()); i++) {
                Map<String, Object> object = Json.object(found.get(i));
                if (object == null) break;
                Fields result = Fields.of("token", object);
                String audience = settings.audiences.get(i);
                String token = result.text("token");
                Long own = result.number("expiresIn");
                if (token == null || own == null || found.size() > 1 && !audience.equals(result.text("audience"))) break;
                tokens.put(audience, token);
                life = Math.min(life, own);
            }
            if (reply.remedy != null) {
                enrolment.post(reply.event("rejected", "op", op));
            } else if (tokens.size() == settings.audiences.size()) {
                enrolment.post(reply.event("judged", "op", op));
                // Before the tokens are used, so that their requests go by these pins.
                Object text = reply.result.get("configuration");
                String outcome = text instanceof String ? pinning.received((String) text, Arrays.asList(keyId, jkt)) : null;
                if (outcome != null) enrolment.listen("configuration", outcome, null);
                String first = tokens.get(settings.audiences.get(0));
                long seconds = life;
                scheduler.post(() -> {
                    if (tickets.size() > 1) tickets.remove(tickets.keySet().iterator().next());
                    tickets.put(first, tokens);
                    handle(Fields.of("fetched", "turn", turn, "token", first, "life", seconds));
                });
            } else {
                if (reply.result != null) reply.cause = "answer";
                enrolment.post(reply.event("sendFailed", "op", op));
            }
        }

        @Override public void done() {
            // The token came with the verdict.
        }

        @Override public void fail(AssayClientException error) {
            post(Fields.of("fetchFailed", "turn", turn, "cause", error.code().toString(), "code", error.platformCode(),
                "remedy", error.remedy(), "retryAfter", error.retryAfterSeconds()));
        }
    }

    /** A request of the app with a token. */
    private final class Authorized extends SignedRequest.Source {
        private final String method;
        private final TargetUri target;
        private String token;
        private boolean provedAgain;

        Authorized(String op, String method, TargetUri target) {
            super(op, settings);
            this.method = method;
            this.target = target;
        }

        void fail(Fields action) {
            token = null;
            if ("unsupported".equals(action.text("cause"))) next.complete(new SignedRequest(withoutEvidence, false, this));
            else next.completeExceptionally(AssayClientException.of(action));
        }

        void use(String current) {
            token = current;
            for (String audience : settings.audiences)
                if (target.isBelow(audience)) token = tickets.containsKey(current) ? tickets.get(current).get(audience) : current;
            prove();
        }

        private void prove() {
            CompletableFuture<SignedRequest> result = next;
            scheduler.call(() -> {
                try {
                    Map<String, String> fields = new LinkedHashMap<>();
                    fields.put("Authorization", "DPoP " + token);
                    fields.put("DPoP", proof(method, target, token));
                    result.complete(new SignedRequest(fields, true, this));
                } catch (PlatformException | RuntimeException error) {
                    PlatformException failure = PlatformException.of(error);
                    // The token of a key that is gone is gone too.
                    if (failure.kind() == PlatformException.Kind.KEY_GONE) post(Fields.of("refused", "op", op));
                    else end(result, AssayClientException.of(Fields.of("fail", "cause", "platform", "code", failure.code()), error));
                } catch (AssayClientException error) {
                    end(result, error);
                }
            });
        }

        private void end(CompletableFuture<SignedRequest> result, AssayClientException error) {
            result.completeExceptionally(error);
            lost(true);
        }

        @Override CompletableFuture<SignedRequest> answered(HttpTransport.Answer answer) {
            String nonce = answer.fields.get("dpop-nonce");
            if (nonce != null && nonce.matches(Backend.VISIBLE)) nonces.put(target.origin(), nonce);
            String remedy = Backend.remedy(answer);
            String field = answer.fields.get("www-authenticate");
            String challenge = answer.status != 401 || token == null || field == null ? "" : field;
            boolean isProof = !provedAgain && challenge.matches(".*(use_dpop_nonce|invalid_dpop_proof).*");
            if (!isProof && !challenge.contains("invalid_token") && remedy == null) {
                lost(true);
                return null;
            }
            CompletableFuture<SignedRequest> result = next = new CompletableFuture<>();
            AssayClientException refusal = AssayClientException.of(Fields.of("fail", "cause", "refused", "remedy", remedy));
            if (isProof) {
                provedAgain = true;
                prove();
            } else if (challenge.contains("invalid_token")) {
                scheduler.post(() -> {
                    if (works.get(op) == this) handle(Fields.of("refused", "op", op));
                    else result.completeExceptionally(refusal);
                });
            } else {
                end(result, refusal);
            }
            return result;
        }

        @Override void lost(boolean sent) { post(Fields.of("done", "op", op)); }
    }

    /** The key of the proofs, made when there is none. */
    private synchronized PublicKey key() throws PlatformException {
        try {
            return settings.keys.publicKey(alias);
        } catch (PlatformException error) {
            if (error.kind() != PlatformException.Kind.KEY_GONE) throw error;
            settings.keys.makeKey(alias);
            return settings.keys.publicKey(alias);
        }
    }

    private String proof(String method, TargetUri target, String token) throws PlatformException, AssayClientException {
        PublicKey key = settings.keys.publicKey(alias);
        String header = Json.write(Json.of("typ", "dpop+jwt", "alg", "ES256", "jwk", jwk(key)));
        String claims = Json.write(Json.of("jti", Bytes.nonce(), "htm", method, "htu", target.withoutQuery(),
            "iat", Math.floorDiv(scheduler.now() + enrolment.offset, 1000L), "ath", Bytes.base64url(Bytes.sha256(Bytes.utf8(token))),
            "nonce", nonces.get(target.origin())));
        String signed = Bytes.base64url(Bytes.utf8(header)) + "." + Bytes.base64url(Bytes.utf8(claims));
        return signed + "." + Bytes.base64url(EcdsaSignature.fixed(settings.keys.sign(alias, Bytes.utf8(signed))));
    }

    /** The nonce of the signature that asks for a token, which binds it to audience and key. */
    static String binding(String challenge, String audience, String jkt) {
        return Bytes.base64url(Bytes.sha256(Bytes.utf8("assay-token\n" + challenge + "\n" + audience + "\n" + jkt + "\n")));
    }

    /** RFC 7638: the members that the thumbprint needs, in their order. */
    static Map<String, Object> jwk(PublicKey key) {
        java.security.spec.ECPoint point = ((ECPublicKey) key).getW();
        return Json.of("crv", "P-256", "kty", "EC", "x", coordinate(point.getAffineX()), "y", coordinate(point.getAffineY()));
    }

    private static String coordinate(java.math.BigInteger value) {
        byte[] digits = value.toByteArray();
        byte[] fixed = new byte[32];
        int count = Math.min(32, digits.length);
        System.arraycopy(digits, digits.length - count, fixed, 32 - count, count);
        return Bytes.base64url(fixed);
    }

    static String thumbprint(PublicKey key) { return Bytes.base64url(Bytes.sha256(Bytes.utf8(Json.write(jwk(key))))); }
}
