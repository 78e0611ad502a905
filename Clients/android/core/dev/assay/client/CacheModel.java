package dev.assay.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A state machine of requests that wait for one thing, which is fetched once for all of them. */
abstract class CacheModel extends Model {
    /** A request under way. */
    static final class Operation {
        final String id;
        /** What it goes out with; null while it waits. */
        String used;
        boolean renewed;

        Operation(String id) { this.id = id; }
    }

    final Map<String, Operation> operations = new LinkedHashMap<>();
    /** The number of the fetch under way; answers to earlier ones are ignored. */
    long turn;
    boolean fetching;
    long failures;
    long notBefore;

    abstract void proceed(Operation op);

    final void need(Fields e) {
        Operation op = new Operation(e.text("op"));
        operations.put(op.id, op);
        proceed(op);
    }

    final List<Operation> waiting() {
        List<Operation> waiting = new ArrayList<>(operations.values());
        waiting.removeIf(op -> op.used != null);
        return waiting;
    }

    final void fetch(String action) {
        turn++;
        fetching = true;
        act(action, "turn", turn);
    }

    final boolean stale(Fields e) {
        if (e.number("turn", -1) != turn || !fetching) return true;
        fetching = false;
        return false;
    }
}
