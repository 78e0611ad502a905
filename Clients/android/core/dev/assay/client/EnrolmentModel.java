package dev.assay.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The state machine of the kit: enrol, sign, renew, recover. It knows no clock and no random source: each event comes with the device's
 * time and a number from 0 to 1000 that the driver draws. The driver stores {@link #record} whenever it differs after an event, before it
 * executes the actions in their order. The kits of all platforms have the same machine, and TestVectors/client says what it does.
 *
 * <p>When the record cannot be stored, the driver executes all actions but {@code makeKey}, {@code attest}, {@code submit} and
 * {@code deleteKey}, and sends {@code storageFailed} if one of the first three was among them.
 */
final class EnrolmentModel extends EnrolmentCalls {
    /** A request under way. */
    private static final class Operation {
        final String id;
        final boolean fresh;
        String state = "waiting";
        String key;
        String nonce;
        boolean retried;
        boolean challenged;
        boolean rekeyed;

        Operation(String id, boolean fresh) {
            this.id = id;
            this.fresh = fresh;
        }
    }

    /** In the order of their arrival. */
    private final Map<String, Operation> operations = new LinkedHashMap<>();

    EnrolmentModel(boolean keyHasChallenge, int keysADay, String process, EnrolmentRecord record) {
        super(keyHasChallenge, keysADay, process, record);
    }

    // Events

    @Override void handle(Fields event) {
        forgetTimes();
        String phase = record.phase;
        String halt = record.halt;
        dispatch(event);
        if (!record.phase.equals(phase) || !Objects.equals(record.halt, halt)) act("report", "phase", record.phase, "halt", record.halt);
    }

    private void dispatch(Fields e) {
        switch (e.name) {
            case "start": start(e); break;
            case "need": need(e); break;
            // A call under way goes on: its result is of use to the next request.
            case "cancel": operations.remove(e.text("op")); break;
            case "prefetch": wanted = true; enrolIfWanted(); break;
            case "wake": wake(e); break;
            case "reload": reload(e); break;
            case "storageFailed": storageFailed(); break;
            case "challenge": challengeCame(e); break;
            case "keyMade": if (!stale(e, "makeKey")) { record.phase = "keyMade"; record.key = e.text("key"); enrol(); } break;
            case "attested": if (!stale(e, "attest")) { record.phase = "attested"; record.evidence = e.text("evidence"); enrol(); } break;
            case "platformFailed": platformFailed(e); break;
            case "callFailed": callFailed(e); break;
            case "enrolled": if (!stale(e, "submit")) { learnClock(e); confirm(); serveWaiting(); } break;
            case "refused": refused(e); break;
            case "requestChallenge": requestChallenge(e); break;
            case "requestChallengeFailed": requestChallengeFailed(e); break;
            case "signed": signed(e); break;
            case "signFailed": signFailed(e); break;
            case "judged": judged(e); break;
            case "rejected": rejected(e); break;
            case "sendFailed": sendFailed(e); break;
            case "forget": forget(); break;
            default: throw new IllegalArgumentException("unknown event " + e.name);
        }
    }

    private void start(Fields e) {
        app = e.text("app");
        system = e.text("system");
        Map<String, Object> without = Json.object(e.values.get("unsupported"));
        unsupported = without == null ? null : Fields.of("unsupported", without);
        if (record.installation != null && !record.installation.equals(e.text("installation"))) {
            discard();
            unhalt();
        }
        record.installation = e.text("installation");
        if (record.halt != null && !(Objects.equals(record.haltApp, app) && Objects.equals(record.haltSystem, system))) unhalt();
    }

    private void need(Fields e) {
        Operation op = new Operation(e.text("op"), e.flag("fresh"));
        operations.put(op.id, op);
        if (!record.phase.equals("enrolled")) wanted = true;
        proceed(op);
    }

    private void wake(Fields e) {
        if (e.flag("network")) networkIsBack();
        serveWaiting();
        enrolIfWanted();
    }

    /** Another process has changed the record. Calls under way count no more. */
    private void reload(Fields e) {
        record = EnrolmentRecord.of(Json.object(e.values.get("record")));
        turn++;
        doing = null;
        serveWaiting();
    }

    private void requestChallenge(Fields e) {
        Operation op = expect(e, "challenge");
        if (op == null) return;
        learnClock(e);
        op.nonce = e.text("value");
        sign(op);
    }

    private void requestChallengeFailed(Fields e) {
        Operation op = expect(e, "challenge");
        if (op == null) return;
        learnClock(e);
        fail(op, e.text("cause"), e.text("code"), e.text("remedy"), e.number("retryAfter"), false);
    }

    private void signed(Fields e) {
        Operation op = expect(e, "signing");
        if (op == null) return;
        op.state = "sent";
        act("send", "op", op.id);
    }

    private void signFailed(Fields e) {
        Operation op = expect(e, "signing");
        if (op == null) return;
        String kind = e.text("class");
        if ("key-gone".equals(kind)) {
            keyGone(op, e.text("code"), null);
        } else if ("again".equals(kind) && !op.retried) {
            op.retried = true;
            sign(op);
        } else if ("unsupported".equals(kind)) {
            cannotAttest(e);
            proceed(op);
        } else {
            fail(op, "platform", e.text("code"), null, null, false);
        }
    }

    /** The request was accepted: whatever the app's backend answered, its judge let it pass. */
    private void judged(Fields e) {
        Operation op = expect(e, "sent");
        if (op == null) return;
        learnClock(e);
        if (op.key != null && op.key.equals(record.key) && record.phase.equals("submitted")) confirm();
        finish(op, Fields.of("done", "op", op.id));
        serveWaiting();
    }

    /** The judge rejected the request, and nothing was executed. */
    private void rejected(Fields e) {
        Operation op = expect(e, "sent");
        if (op == null) return;
        learnClock(e);
        networkIsBack();
        String remedy = e.text("remedy");
        // Without evidence no other evidence can be made.
        if (op.key == null && !HALTING.contains(remedy)) remedy = "contact-support";
        if ("retry".equals(remedy) && !op.retried) {
            op.retried = true;
            signAnew(op);
        } else if ("new-challenge".equals(remedy) && !op.challenged) {
            op.challenged = true;
            challenge(op);
        } else if ("new-attestation".equals(remedy)) {
            keyGone(op, e.text("code"), remedy);
        } else {
            fail(op, "refused", e.text("code"), remedy, e.number("retryAfter"), false);
        }
    }

    /** No verdict: an outage, or no answer. The app alone knows whether the request may be sent again. */
    private void sendFailed(Fields e) {
        Operation op = expect(e, "sent");
        if (op == null) return;
        learnClock(e);
        fail(op, e.text("cause"), e.text("code"), null, e.number("retryAfter"), e.flag("sent"));
    }

    /** The account is deleted: so is its key. What is under way fails. */
    private void forget() {
        for (Operation op : new ArrayList<>(operations.values())) fail(op, "forgotten", null, null, null, false);
        discard();
        EnrolmentRecord empty = new EnrolmentRecord();
        empty.installation = record.installation;
        empty.keysMade = record.keysMade;
        record = empty;
        turn++;
        doing = null;
        wanted = false;
        rekeyed = false;
    }

    // Requests

    private void proceed(Operation op) {
        if (unsupported != null) {
            sendWithoutEvidence(op, unsupported.text("reason"), unsupported.text("code"));
            return;
        }
        if (ready() != null) { signAnew(op); return; }
        op.state = "waiting";
        if (doing != null) return;
        boolean early = now < record.notBefore;
        if (record.halt != null) fail(op, "halted", record.cause, record.halt, null, false);
        else if (early && "platform".equals(record.cause) && record.failures >= 3) sendWithoutEvidence(op, "failed", record.code);
        else if (early) fail(op, record.cause, record.code, null, ceilSeconds(record.notBefore - now), false);
        else if (leased()) act("wait", "until", record.leaseEnds);
        else enrol();
    }

    /** The server's policy decides what that is worth. */
    private void sendWithoutEvidence(Operation op, String reason, String code) {
        op.state = "sent";
        op.key = null;
        act("sendWithoutEvidence", "op", op.id, "reason", reason, "code", code);
    }

    @Override void serveWaiting() {
        for (Operation op : new ArrayList<>(operations.values())) {
            if (operations.containsKey(op.id) && op.state.equals("waiting")) proceed(op);
        }
    }

    /** A signature after which the server may have used the last one's challenge up. */
    private void signAnew(Operation op) {
        op.nonce = null;
        if (op.fresh || op.challenged) challenge(op);
        else sign(op);
    }

    private void challenge(Operation op) {
        op.state = "challenge";
        act("getRequestChallenge", "op", op.id);
    }

    private void sign(Operation op) {
        String key = ready();
        // The key went away while the challenge came.
        if (key == null) { proceed(op); return; }
        op.state = "signing";
        op.key = key;
        // Rounded down: servers allow for less in the future than in the past.
        act("sign", "op", op.id, "key", key, "created", Math.floorDiv(now + record.offset, SECOND), "nonce", op.nonce);
    }

    /** The key with which the request was signed is no more, on the device or for the server. */
    private void keyGone(Operation op, String code, String remedy) {
        if (op.rekeyed) {
            fail(op, remedy != null ? "refused" : "platform", code, remedy, null, false);
            return;
        }
        if (Objects.equals(op.key, record.key) && doing == null) {
            discard();
            rekeyed = true;
            wanted = true;
            if (remedy == null) because("platform", code);
        }
        op.rekeyed = true;
        proceed(op);
    }

    // Results

    private Operation expect(Fields e, String state) {
        Operation op = operations.get(e.text("op"));
        return op != null && op.state.equals(state) ? op : null;
    }

    private void finish(Operation op, Fields action) {
        operations.remove(op.id);
        actions.add(action);
    }

    private void fail(Operation op, String cause, String code, String remedy, Long retryAfter, boolean sent) {
        finish(op, Fields.of("fail", "op", op.id, "cause", cause, "code", code, "remedy", remedy, "retryAfter", retryAfter, "sent", sent));
    }
}
