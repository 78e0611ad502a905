package dev.assay.client;

import java.io.IOException;
import java.security.PublicKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Drives the state machine of one key: stores its record, executes its actions, and sends their results back. */
final class Enrolment {
    /** Calls that take longer count as failed. Less than the lease that other processes respect. */
    static final long CALL_MILLIS = 80_000;
    /** How often the record is read while another process enrols. */
    private static final long POLL_MILLIS = 500;
    static final int MAXIMUM_WORKS = 1000;
    private static final List<String> STORED_FIRST = Arrays.asList("makeKey", "attest", "submit", "deleteKey");

    /** A request under way. All calls but {@link #nonce} come from the client's thread. */
    interface Work {
        RequestSignature request();

        /** The nonce of a signature: of the server's challenge, or null for a random one. */
        String nonce(String challenge);

        /** @param without the reason and code of a request without evidence, or null */
        void send(Map<String, String> fields, Fields without);

        void done();

        void fail(AssayClientException error);
    }

    /** The clock of the server less the device's, for the proofs of tokens. */
    volatile long offset;
    private final ClientSettings settings;
    private final Scheduler scheduler;
    private final Backend backend;
    private final Map<String, Work> works = new LinkedHashMap<>();
    private final Map<String, Map<String, String>> signatures = new HashMap<>();
    private final EnrolmentModel model;
    /** What the storage had when it was read or written last. */
    private byte[] seen;
    private Runnable timer = () -> {};

    Enrolment(ClientSettings settings, Scheduler scheduler, Backend backend) {
        this.settings = settings;
        this.scheduler = scheduler;
        this.backend = backend;
        model = new EnrolmentModel(true, settings.keysADay, settings.process, new EnrolmentRecord());
        post(Fields.of("start", "app", settings.appVersion, "system", settings.systemVersion, "installation", settings.installation)
            .and("unsupported", settings.unsupported == null ? null : Json.of("reason", settings.unsupported)));
    }

    void need(String op, Work work, boolean fresh) {
        scheduler.post(() -> {
            // Requests whose answers the app has never reported.
            if (works.size() >= MAXIMUM_WORKS) cancel(works.keySet().iterator().next());
            works.put(op, work);
            handle(Fields.of("need", "op", op, "fresh", fresh));
        });
    }

    /** The answer to a request that was sent. One that has ended meanwhile, with the account, gets no other evidence. */
    void answered(Work work, Fields event) {
        scheduler.post(() -> {
            if (works.get(event.text("op")) == work) handle(event);
            else work.fail(AssayClientException.of(event.and("cause", "refused")));
        });
    }

    /** Deletes all keys of the account, also those that an earlier attempt has left. */
    CompletableFuture<Void> forget() {
        CompletableFuture<Void> result = new CompletableFuture<>();
        scheduler.post(() -> {
            boolean stored = handle(Fields.of("forget"));
            if (!stored) result.completeExceptionally(AssayClientException.of(Fields.of("fail", "cause", "storage")));
            else scheduler.call(() -> {
                try {
                    for (String alias : settings.keys.aliases(settings.keyPrefix)) settings.keys.delete(alias);
                    settings.keys.delete(settings.proofKey());
                    result.complete(null);
                } catch (PlatformException | RuntimeException error) {
                    String code = PlatformException.of(error).code();
                    result.completeExceptionally(AssayClientException.of(Fields.of("fail", "cause", "platform", "code", code), error));
                }
            });
        });
        return result;
    }

    void close() { scheduler.post(() -> { for (String op : new ArrayList<>(works.keySet())) cancel(op); }); }

    void post(Fields event) {
        scheduler.post(() -> {
            if (event.name.equals("cancel")) cancel(event.text("op"));
            else handle(event);
        });
    }

    private void cancel(String op) {
        signatures.remove(op);
        Work work = works.remove(op);
        if (work != null) work.fail(AssayClientException.closed());
        handle(Fields.of("cancel", "op", op));
    }

    /** Returns whether the record is stored. */
    private boolean handle(Fields event) {
        List<Fields> actions = new ArrayList<>();
        boolean[] stepped = {false};
        boolean stored = true;
        try {
            settings.storage.update(content -> {
                if (!Arrays.equals(content, seen)) actions.addAll(step(reload(content)));
                seen = content;
                actions.addAll(step(event));
                stepped[0] = true;
                return Arrays.equals(content, content()) ? null : content();
            });
            seen = content();
        } catch (IOException | RuntimeException error) {
            if (!stepped[0]) actions.addAll(step(event));
            stored = Arrays.equals(seen, content());
            if (!stored) listen("storage", error.getClass().getSimpleName(), null);
        }
        offset = model.record().offset;
        boolean skipped = false;
        for (Fields action : actions) {
            boolean skip = !stored && STORED_FIRST.contains(action.name);
            skipped |= skip && !action.name.equals("deleteKey");
            if (!skip) execute(action);
        }
        if (skipped) handle(Fields.of("storageFailed"));
        return stored;
    }

    private byte[] content() { return Bytes.utf8(Json.write(Json.of("format", 1L, "record", model.record().toMap()))); }

    private List<Fields> step(Fields event) { return model.step(event, scheduler.now(), scheduler.jitter()); }

    /** A content that cannot be read, or has another account's key, counts as none: its key is made anew. */
    private Fields reload(byte[] content) {
        Map<String, Object> record = null;
        if (content != null) {
            try {
                record = Json.object(Json.object(content).get("record"));
            } catch (Json.Malformed error) {
                listen("storage", "damaged", null);
            }
        }
        Object key = record == null ? null : record.get("key");
        if (key instanceof String && !((String) key).startsWith(settings.keyPrefix)) {
            listen("storage", "other-account", null);
            record = null;
        }
        return Fields.of("reload", "record", record == null ? new EnrolmentRecord().toMap() : record);
    }

    private void execute(Fields action) {
        String op = action.text("op");
        switch (action.name) {
            case "getChallenge": call(action, "challenge", () -> challenge(action)); break;
            case "makeKey": call(action, "makeKey", () -> makeKey(action)); break;
            case "attest": call(action, "attest", () -> attest(action)); break;
            case "submit": call(action, "submit", () -> submit(action)); break;
            case "deleteKey": scheduler.call(() -> delete(action.text("key"))); break;
            case "getRequestChallenge": call(action, null, () -> requestChallenge(op)); break;
            case "sign": if (works.containsKey(op)) { Work work = works.get(op); call(action, null, () -> sign(action, work)); } break;
            case "send": if (works.containsKey(op)) works.get(op).send(signatures.remove(op), null); break;
            case "sendWithoutEvidence": withoutEvidence(action); break;
            case "done": if (works.containsKey(op)) works.remove(op).done(); break;
            case "fail": fail(op, action); break;
            case "wait": sleep(action.number("until", 0)); break;
            default: listen("phase", action.text("phase"), action.text("halt"));
        }
    }

    private void fail(String op, Fields action) {
        listen("failed", action.text("cause"), action.text("remedy"));
        signatures.remove(op);
        Work work = works.remove(op);
        if (work != null) work.fail(AssayClientException.of(action));
    }

    private void withoutEvidence(Fields action) {
        listen("without-evidence", action.text("reason"), null);
        Work work = works.get(action.text("op"));
        Map<String, String> fields = NoEvidence.fields(action.text("reason"), action.text("code"), settings.appVersion,
            settings.systemVersion);
        if (work != null) work.send(fields, action);
    }

    private void sleep(long until) {
        timer.run();
        long delay = Math.max(0, until - scheduler.now());
        boolean polls = model.leased();
        timer = scheduler.later(polls ? Math.min(delay, POLL_MILLIS) : delay, () -> handle(Fields.of("wake")));
    }

    /** The result of a call, which says what it was of. */
    private interface Call {
        Fields run() throws PlatformException;
    }

    private void call(Fields action, String call, Call task) {
        boolean isServer = action.name.equals("submit") || action.name.endsWith("Challenge");
        Runnable limit = scheduler.later(CALL_MILLIS, () -> handle(isServer
            ? answer(action, call, Backend.failure("network", "timeout", true))
            : platformFailed(action, call, new PlatformException(PlatformException.Kind.LATER, "keystore:timeout", null))));
        scheduler.call(() -> {
            Fields event;
            try {
                event = task.run();
            } catch (PlatformException | RuntimeException error) {
                event = platformFailed(action, call, PlatformException.of(error));
            }
            Fields result = event;
            scheduler.post(() -> {
                limit.run();
                handle(result);
            });
        });
    }

    private Fields platformFailed(Fields action, String call, PlatformException error) {
        listen("platform", error.code(), null);
        Fields event = Fields.of(call == null ? "signFailed" : "platformFailed", "call", call, "op", action.text("op"));
        return event.and("turn", action.number("turn")).and("class", error.kind().text).and("code", error.code());
    }

    private Fields answer(Fields action, String call, Backend.Reply reply) {
        listen("server", reply.code == null ? reply.cause : reply.code, reply.remedy);
        return reply.event(call == null ? "requestChallengeFailed" : "callFailed", "call", call, "op", action.text("op"))
            .and("turn", action.number("turn"));
    }

    private Fields challenge(Fields action) {
        Backend.Reply reply = backend.post(settings.challengesUrl, Json.of("app", settings.app, "kind", "android-key.attestation"));
        String value = backend.challenge(reply);
        if (value == null) return answer(action, "challenge", reply);
        long life = Backend.life(reply.result, reply.date, scheduler.now() + offset);
        return reply.event("challenge", "turn", action.number("turn"), "value", value, "life", life);
    }

    private Fields requestChallenge(String op) {
        Backend.Reply reply = backend.post(settings.challengesUrl, Json.of("app", settings.app, "kind", "android-key.request"));
        String value = backend.challenge(reply);
        if (value == null) return answer(Fields.of("getRequestChallenge", "op", op), null, reply);
        return reply.event("requestChallenge", "op", op, "value", value);
    }

    /** Also deletes keys that no record knows: of a process that ended before it had stored their names. */
    private Fields makeKey(Fields action) throws PlatformException {
        for (String alias : settings.keys.aliases(settings.keyPrefix)) delete(alias);
        String alias = settings.keyPrefix + Bytes.nonce();
        settings.keys.makeAttestedKey(alias, Bytes.utf8(action.text("challenge")));
        return Fields.of("keyMade", "turn", action.number("turn"), "key", alias);
    }

    private Fields attest(Fields action) throws PlatformException {
        List<Object> certificates = new ArrayList<>();
        for (byte[] certificate : settings.keys.certificates(action.text("key"))) certificates.add(Bytes.base64(certificate));
        return Fields.of("attested", "turn", action.number("turn"), "evidence", Json.write(certificates));
    }

    private Fields submit(Fields action) {
        Backend.Reply reply;
        try {
            Object certificates = Json.parse(action.text("evidence"));
            reply = backend.post(settings.enrolmentsUrl, Json.of("kind", "android-key.attestation", "app", settings.app, "evidence",
                Json.of("certificates", certificates, "challenge", Bytes.base64(Bytes.utf8(action.text("challenge"))))));
        } catch (Json.Malformed error) {
            // Only a damaged storage can have brought this.
            reply = Backend.failure("refused", "damaged", false);
            reply.remedy = "new-attestation";
        }
        if (reply.remedy != null) return answer(action, "submit", reply).named("refused");
        boolean isAccepted = reply.result != null && "accept".equals(reply.result.get("outcome"));
        if (isAccepted) return reply.event("enrolled", "turn", action.number("turn"));
        if (reply.result != null) reply = Backend.failure("answer", "no-outcome", true);
        return answer(action, "submit", reply);
    }

    private Fields sign(Fields action, Work work) throws PlatformException {
        String op = action.text("op");
        String alias = action.text("key");
        String nonce = work.nonce(action.text("nonce"));
        try {
            PublicKey key = settings.keys.publicKey(alias);
            String parameters = work.request().keyParameters(action.number("created", 0), nonce == null ? Bytes.nonce() : nonce, key);
            byte[] signature = settings.keys.sign(alias, work.request().base(parameters));
            Map<String, String> fields = work.request().fields(parameters, RequestSignature.value(key, signature));
            scheduler.post(() -> { if (works.get(op) == work) signatures.put(op, fields); });
        } catch (AssayClientException error) {
            throw new PlatformException(PlatformException.Kind.BUG, "keystore:format", error);
        }
        return Fields.of("signed", "op", op);
    }

    private void delete(String alias) {
        try {
            settings.keys.delete(alias);
        } catch (PlatformException | RuntimeException error) {
            listen("platform", PlatformException.of(error).code(), null);
        }
    }

    /** A listener that throws must not end the client's thread. */
    void listen(String event, String detail, String remedy) {
        scheduler.post(() -> {
            try {
                settings.listener.on(event, detail, remedy);
            } catch (RuntimeException error) {
                return;
            }
        });
    }
}
