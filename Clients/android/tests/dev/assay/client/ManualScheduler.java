package dev.assay.client;

import java.util.ArrayList;
import java.util.List;

/** A scheduler of one thread, whose clock the test sets. */
final class ManualScheduler implements Scheduler {
    long now = 1_800_000_000_000L;
    /** Calls that never return. */
    boolean hangs;
    final List<Runnable> tasks = new ArrayList<>();
    private final List<Object[]> timers = new ArrayList<>();

    @Override public long now() { return now; }
    @Override public int jitter() { return 500; }
    @Override public void post(Runnable task) { tasks.add(task); }
    @Override public void call(Runnable task) { if (!hangs) tasks.add(task); }
    @Override public void close() { tasks.clear(); }

    @Override public Runnable later(long milliseconds, Runnable task) {
        Object[] timer = {now + Math.max(0, milliseconds), task};
        timers.add(timer);
        return () -> timers.remove(timer);
    }

    /** Runs what there is to do, and the timers of that time in their order. */
    void pass(long milliseconds) {
        long end = now + milliseconds;
        while (true) {
            while (!tasks.isEmpty()) tasks.remove(0).run();
            Object[] next = null;
            for (Object[] timer : timers) if (next == null || (Long) timer[0] < (Long) next[0]) next = timer;
            if (next == null || (Long) next[0] > end) break;
            timers.remove(next);
            now = Math.max(now, (Long) next[0]);
            ((Runnable) next[1]).run();
        }
        now = end;
    }
}
