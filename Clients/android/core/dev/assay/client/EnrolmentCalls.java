package dev.assay.client;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The calls of an enrolment, one at a time: challenge, key, attestation, and the server's verdict on it. */
abstract class EnrolmentCalls extends Model {
    /** A challenge within this of its end is not used any more: the way to the server takes time. */
    private static final long CHALLENGE_MARGIN = 10 * SECOND;
    /** How long another process may work on the record before its work counts as lost. */
    static final long LEASE = 90 * SECOND;
    /** The clock of a server that differs by less is not learned: an answer was under way for a moment. */
    private static final long CLOCK_TOLERANCE = 5 * SECOND;
    /** Remedies that other evidence cannot give. */
    static final List<String> HALTING = Arrays.asList("update-app", "update-system", "contact-support", "none");

    private final boolean keyHasChallenge;
    private final int keysADay;
    private final String process;
    EnrolmentRecord record;
    /** Why this process cannot attest: reason and code. */
    Fields unsupported;
    /** Whether a request or the app has asked for a key since the last one was enrolled. */
    boolean wanted;
    String app;
    String system;
    /** The number of the call under way; answers to earlier ones are ignored. */
    long turn;
    /** The call under way: {@code challenge}, {@code makeKey}, {@code attest}, {@code submit}, or null. */
    String doing;
    /** Whether this enrolment has replaced its key already. */
    boolean rekeyed;

    /**
     * @param keyHasChallenge whether a key is made over its challenge, as in Android's keystore
     * @param keysADay how many keys may be made in 24 hours
     * @param process a name of this process, other than those of processes that share the storage
     */
    EnrolmentCalls(boolean keyHasChallenge, int keysADay, String process, EnrolmentRecord record) {
        this.keyHasChallenge = keyHasChallenge;
        this.keysADay = keysADay;
        this.process = process;
        this.record = record;
    }

    EnrolmentRecord record() { return record; }

    /** Goes on with the requests that wait for the key. */
    abstract void serveWaiting();

    final void challengeCame(Fields e) {
        if (stale(e, "challenge")) return;
        learnClock(e);
        long life = Math.min(Math.max(e.number("life", 0), 20), 24 * 3600);
        record.challenge = e.text("value");
        record.challengeFrom = now;
        record.challengeEnds = now + life * SECOND;
        enrol();
    }

    final void platformFailed(Fields e) {
        String call = e.text("call");
        if (stale(e, call)) return;
        if (record.phase.equals("attesting")) record.phase = "keyMade";
        if ("unsupported".equals(e.text("class"))) {
            cannotAttest(e);
            release();
            serveWaiting();
            return;
        }
        if ("key-gone".equals(e.text("class")) && "attest".equals(call)) {
            // The challenge was never sent, and serves the next key too.
            act("deleteKey", "key", record.key);
            record.phase = "new";
            record.key = null;
            because("platform", e.text("code"));
            if (!rekeyed) {
                rekeyed = true;
                enrol();
                return;
            }
        }
        failEnrolment("platform", e.text("code"), null, true, false);
    }

    final void cannotAttest(Fields e) { unsupported = Fields.of("unsupported", "reason", "unsupported", "code", e.text("code")); }

    /** The server gave no verdict on {@code getChallenge} or {@code submit}. {@code sent}: it may have judged what it got. */
    final void callFailed(Fields e) {
        String call = e.text("call");
        if (stale(e, call)) return;
        learnClock(e);
        if (HALTING.contains(e.text("remedy"))) { halt(e.text("remedy")); return; }
        if ("submit".equals(call) && !e.flag("sent")) record.phase = "attested";
        failEnrolment(e.text("cause"), e.text("code"), e.number("retryAfter"), false, false);
    }

    /** The server rejected the attestation. */
    final void refused(Fields e) {
        if (stale(e, "submit")) return;
        learnClock(e);
        String remedy = e.text("remedy");
        if (HALTING.contains(remedy)) { halt(remedy); return; }
        if ("retry".equals(remedy)) {
            // A rejection uses nothing up.
            record.phase = "attested";
            failEnrolment("refused", e.text("code"), e.number("retryAfter"), false, false);
            return;
        }
        discard();
        if (rekeyed) { failEnrolment("refused", e.text("code"), null, false, false); return; }
        rekeyed = true;
        enrol();
    }

    /** The call under way was not made, because what it does could not be stored first. */
    final void storageFailed() {
        if ("makeKey".equals(doing)) record.keysMade.remove(record.keysMade.size() - 1);
        else if ("attest".equals(doing)) record.phase = "keyMade";
        else if ("submit".equals(doing)) record.phase = "attested";
        turn++;
        failEnrolment("storage", null, null, false, false);
    }

    final void unhalt() {
        record.halt = null;
        record.notBefore = 0;
        record.failures = 0;
    }

    // Enrolment

    final void enrolIfWanted() { if (wanted && doing == null && ready() == null && !blocked()) enrol(); }

    final void networkIsBack() { if ("network".equals(record.cause) && record.halt == null) record.notBefore = 0; }

    /** Ends what has ended, and times that only a clock which was set can have left. */
    final void forgetTimes() {
        if (now < record.notBefore && record.notBefore <= now + DAY) return;
        record.notBefore = 0;
        if (record.halt != null) unhalt();
    }

    /** The next call of the enrolment. */
    final void enrol() {
        if (record.challenge == null || record.challengeFrom > now || now >= record.challengeEnds - CHALLENGE_MARGIN) {
            if (record.phase.equals("attested") || (keyHasChallenge && !record.phase.equals("new"))) discard();
            forgetChallenge();
            call("challenge", "getChallenge");
        } else if (record.phase.equals("new")) {
            List<Long> made = new ArrayList<>();
            // A clock that was set back does not forget keys.
            for (long time : record.keysMade) if (Math.abs(now - time) < DAY) made.add(time);
            if (made.size() >= keysADay) {
                record.notBefore = Math.min(made.get(made.size() - keysADay), now) + DAY;
                // Keys that died on the device: requests go without evidence, and say so.
                boolean died = "platform".equals(record.cause);
                if (died) record.failures = Math.max(record.failures, 2);
                failEnrolment(died ? "platform" : "too-many-keys", died ? record.code : null, null, false, true);
                return;
            }
            made.add(now);
            record.keysMade = made;
            call("makeKey", "makeKey", "challenge", record.challenge);
        } else if (record.phase.equals("keyMade") || record.phase.equals("attesting")) {
            record.phase = "attesting";
            call("attest", "attest", "key", record.key, "challenge", record.challenge);
        } else {
            record.phase = "submitted";
            call("submit", "submit", "key", record.key, "challenge", record.challenge, "evidence", record.evidence);
        }
    }

    final void call(String what, String action, Object... arguments) {
        turn++;
        doing = what;
        record.owner = process;
        record.leaseEnds = now + LEASE;
        act(action, arguments);
        actions.get(actions.size() - 1).and("turn", turn);
    }

    final boolean stale(Fields e, String what) {
        if (doing == null || e.number("turn", -1) != turn || !doing.equals(what)) return true;
        doing = null;
        return false;
    }

    final void confirm() {
        record.phase = "enrolled";
        forgetChallenge();
        record.evidence = null;
        record.failures = 0;
        record.notBefore = 0;
        because(null, null);
        release();
        rekeyed = false;
        wanted = false;
    }

    /** Why there is no enrolled key. */
    final void because(String cause, String code) {
        record.cause = cause;
        record.code = code;
    }

    private void release() {
        record.owner = null;
        record.leaseEnds = 0;
    }

    final void forgetChallenge() {
        record.challenge = null;
        record.challengeFrom = 0;
        record.challengeEnds = 0;
    }

    /** Ends the key. The next one takes a new challenge: this one may have been used. */
    final void discard() {
        if (record.key != null) act("deleteKey", "key", record.key);
        record.phase = "new";
        record.key = null;
        record.evidence = null;
        forgetChallenge();
    }

    /** Only another app, another system or a day may change the verdict. */
    final void halt(String remedy) {
        discard();
        record.halt = remedy;
        record.haltApp = app;
        record.haltSystem = system;
        record.notBefore = now + DAY;
        endEnrolment("refused", null);
    }

    final void failEnrolment(String cause, String code, Long retryAfter, boolean platform, boolean keepTime) {
        record.failures++;
        if (!keepTime) {
            long delay;
            if (platform && record.failures > 3) delay = backoff(record.failures - 3, 900 * SECOND, 4 * 3600 * SECOND);
            else if (platform) delay = backoff(record.failures, 5 * SECOND, 20 * SECOND);
            else delay = backoff(record.failures, 2 * SECOND, 300 * SECOND);
            if (retryAfter != null) delay = Math.max(delay, Math.min(retryAfter, 24 * 3600) * SECOND);
            record.notBefore = now + delay;
        }
        endEnrolment(cause, code);
    }

    final void endEnrolment(String cause, String code) {
        because(cause, code);
        release();
        rekeyed = false;
        doing = null;
        if (record.halt == null) act("wait", "until", record.notBefore);
        serveWaiting();
    }

    final void learnClock(Fields e) {
        Long date = e.number("date");
        if (date != null && Math.abs(date - (now + record.offset)) > CLOCK_TOLERANCE) {
            record.offset = Math.max(-DAY, Math.min(DAY, date - now));
        }
    }

    /** The key that can sign, or null. A key whose enrolment was not answered may be enrolled: a request tells. */
    final String ready() {
        return doing == null && (record.phase.equals("submitted") || record.phase.equals("enrolled")) ? record.key : null;
    }

    /** Whether no enrolment may begin now. */
    final boolean blocked() { return unsupported != null || record.halt != null || now < record.notBefore || leased(); }

    final boolean leased() {
        return record.owner != null && !record.owner.equals(process) && now < record.leaseEnds && record.leaseEnds <= now + LEASE;
    }
}
