package dev.assay.client;

import java.util.ArrayList;
import java.util.List;

/**
 * The provider of standard tokens of Play Integrity: prepared once, prepared again when Google says that it is invalid, and never more
 * often than Google allows. After failures that do not pass, requests go without evidence for a while, and say why.
 */
final class IntegrityModel extends CacheModel {
    /** Google allows five preparations a minute; one less, so that another process of the app has one. */
    private static final int PREPARATIONS = 4;
    private static final long MINUTE = 60 * SECOND;

    private String provider;
    private List<Long> preparedAt = new ArrayList<>();
    /** Why requests go without evidence until {@code notBefore}; null if they wait. */
    private String reason;
    private String code;

    @Override void handle(Fields e) {
        if (now >= notBefore || notBefore > now + DAY) retry();
        switch (e.name) {
            case "need": need(e); break;
            case "prefetch": if (provider == null && !fetching && now >= notBefore) prepare(); break;
            case "cancel": operations.remove(e.text("op")); break;
            case "wake": wake(e); break;
            case "prepared": if (!stale(e)) { provider = e.text("provider"); serveWaiting(); } break;
            case "prepareFailed": if (!stale(e)) failed(e); break;
            case "token": token(e); break;
            case "requestFailed": requestFailed(e); break;
            default: throw new IllegalArgumentException("unknown event " + e.name);
        }
    }

    private void retry() {
        notBefore = 0;
        reason = null;
        code = null;
    }

    /** Its time has come, the network is back, or the user has repaired what a dialog of Google's named. */
    private void wake(Fields e) {
        if (e.flag("network") || e.flag("repaired")) retry();
        if (e.flag("repaired")) provider = null;
        serveWaiting();
    }

    private void token(Fields e) {
        Operation op = operations.remove(e.text("op"));
        if (op == null || op.used == null) return;
        failures = 0;
        act("send", "op", op.id);
    }

    private void requestFailed(Fields e) {
        Operation op = operations.get(e.text("op"));
        if (op == null || op.used == null) return;
        String used = op.used;
        op.used = null;
        if (!"provider-invalid".equals(e.text("class"))) { failed(e); return; }
        if (used.equals(provider)) provider = null;
        if (op.renewed) { failed(e); return; }
        op.renewed = true;
        proceed(op);
    }

    private void failed(Fields e) {
        String kind = e.text("class");
        failures++;
        if (("later".equals(kind) || "provider-invalid".equals(kind)) && failures <= 3) {
            notBefore = now + backoff(failures, 5 * SECOND, 20 * SECOND);
        } else {
            notBefore = now + backoff(Math.max(failures - 3, 1), 15 * MINUTE, 4 * 60 * MINUTE);
            reason = "no-play-services".equals(kind) ? "no-play-services" : "failed";
            code = e.text("code");
        }
        act("wait", "until", notBefore);
        serveWaiting();
    }

    private void serveWaiting() { for (Operation op : waiting()) proceed(op); }

    @Override void proceed(Operation op) {
        if (now < notBefore) {
            if (reason == null) return;
            operations.remove(op.id);
            act("sendWithoutEvidence", "op", op.id, "reason", reason, "code", code);
        } else if (provider != null) {
            op.used = provider;
            act("request", "op", op.id, "provider", provider);
        } else if (!fetching) {
            prepare();
        }
    }

    private void prepare() {
        List<Long> made = new ArrayList<>();
        for (long time : preparedAt) if (now - MINUTE < time && time <= now) made.add(time);
        preparedAt = made;
        if (made.size() >= PREPARATIONS) {
            notBefore = made.get(0) + MINUTE;
            act("wait", "until", notBefore);
            return;
        }
        made.add(now);
        fetch("prepare");
    }
}
