package dev.assay.client;

/**
 * The cache of the token: one fetch at a time, renewed before its end. Its life is what the server said, so that the device's clock need
 * only run evenly. A fetch is a request of the enrolment, for which the driver sends {@code fetched} or {@code fetchFailed}.
 */
final class TokenModel extends CacheModel {
    /** A token within this of its end is not used any more: the way to the server takes time. */
    private static final long MARGIN = 5 * SECOND;

    private String token;
    private long issued;
    private long renewAt;
    private long ends;
    /** The last failure, or null. */
    private Fields failure = Fields.of("failure");

    @Override void handle(Fields e) {
        if (now >= notBefore || notBefore > now + DAY) notBefore = 0;
        switch (e.name) {
            case "need": need(e); break;
            // The request with the token was answered, or the app has given it up.
            case "done": operations.remove(e.text("op")); break;
            case "prefetch": if (!fetching && now >= notBefore && !(usable() && now < renewAt)) fetch("fetch"); break;
            case "refused": refused(e); break;
            case "fetched": fetched(e); break;
            case "fetchFailed": fetchFailed(e); break;
            // The network is back.
            case "network": if ("network".equals(failure.text("cause"))) notBefore = 0; break;
            case "forget": forget(); break;
            default: throw new IllegalArgumentException("unknown event " + e.name);
        }
    }

    /** A service refused the token of a request. Once, another token may help. */
    private void refused(Fields e) {
        Operation op = operations.get(e.text("op"));
        if (op == null || op.used == null) return;
        if (op.used.equals(token)) token = null;
        if (op.renewed) {
            operations.remove(op.id);
            act("fail", "op", op.id, "cause", "refused", "code", "invalid_token");
            return;
        }
        op.used = null;
        op.renewed = true;
        proceed(op);
    }

    private void fetched(Fields e) {
        if (stale(e)) return;
        long life = Math.min(Math.max(e.number("life", 0), 0), 24 * 3600) * SECOND;
        // At half of its life, or a minute before its end if that is later; some of it sooner, so that not all devices that began
        // together renew together.
        long renew = Math.max(life / 2, life - 60 * SECOND);
        token = e.text("token");
        issued = now;
        ends = now + life;
        renewAt = now + renew - jittered(renew / 10);
        failures = 0;
        notBefore = 0;
        act("wait", "until", renewAt);
        for (Operation op : waiting()) use(op);
    }

    private void fetchFailed(Fields e) {
        if (stale(e)) return;
        failures++;
        long delay = backoff(failures, 2 * SECOND, 300 * SECOND);
        Long retryAfter = e.number("retryAfter");
        if (retryAfter != null) delay = Math.max(delay, Math.min(retryAfter, 24 * 3600) * SECOND);
        notBefore = now + delay;
        failure = Fields.of("failure", "cause", e.text("cause"), "code", e.text("code"), "remedy", e.text("remedy"));
        for (Operation op : waiting()) giveUp(op);
    }

    /** The account or its key is no more. */
    private void forget() {
        token = null;
        turn++;
        fetching = false;
        failure = Fields.of("failure", "cause", "forgotten");
        for (Operation op : waiting()) giveUp(op);
    }

    private boolean usable() { return token != null && issued <= now && now < ends - MARGIN; }

    private void use(Operation op) {
        op.used = token;
        act("use", "op", op.id, "token", token);
    }

    @Override void proceed(Operation op) {
        if (usable()) {
            use(op);
            if (now >= renewAt && !fetching && now >= notBefore) fetch("fetch");
        } else if (!fetching) {
            if (now < notBefore) giveUp(op);
            else fetch("fetch");
        }
    }

    private void giveUp(Operation op) {
        operations.remove(op.id);
        Fields action = Fields.of("fail", "op", op.id, "retryAfter", now < notBefore ? ceilSeconds(notBefore - now) : null);
        action.values.putAll(failure.values);
        actions.add(action);
    }
}
