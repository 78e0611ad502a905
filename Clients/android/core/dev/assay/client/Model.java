package dev.assay.client;

import java.util.ArrayList;
import java.util.List;

/** What the kit's state machines share. They know no clock and no random source: each event comes with time and a drawn number. */
abstract class Model {
    static final long SECOND = 1000;
    static final long DAY = 24 * 3600 * SECOND;

    List<Fields> actions = new ArrayList<>();
    /** Milliseconds since 1970 by the device's clock. */
    long now;
    private int jitter;

    /**
     * What follows from an event.
     *
     * @param jitterOfThousand from 0 to 1000, drawn by the driver
     * @return the actions, to be executed in their order
     */
    final List<Fields> step(Fields event, long nowMillis, int jitterOfThousand) {
        actions = new ArrayList<>();
        now = nowMillis;
        jitter = jitterOfThousand;
        handle(event);
        return actions;
    }

    abstract void handle(Fields event);

    final void act(String action, Object... arguments) { actions.add(Fields.of(action, arguments)); }

    /** Exponential, of which the upper half is random: between d/2 and d. */
    final long backoff(long failures, long first, long limit) {
        long delay = Math.min(first << Math.min(failures - 1, 20), limit);
        return delay / 2 + jittered(delay / 2);
    }

    final long jittered(long delay) { return delay * jitter / 1000; }

    static long ceilSeconds(long milliseconds) { return -Math.floorDiv(-milliseconds, SECOND); }
}
