package dev.assay.client;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** The threads of a client with another clock. */
final class ShiftedScheduler implements Scheduler {
    private final Scheduler threads = Scheduler.threads();
    private final AtomicLong skew;
    /** What waits for {@link #release}; null if time passes by itself. */
    private final Queue<Runnable> held;

    private ShiftedScheduler(AtomicLong skew, Queue<Runnable> held) {
        this.skew = skew;
        this.held = held;
    }

    /** A clock that is so many milliseconds ahead, which the test may change. */
    static Scheduler by(AtomicLong skew) { return new ShiftedScheduler(skew, null); }

    /** Timers that wait until the test releases them, however slow it is. */
    static ShiftedScheduler withHeldTimers() { return new ShiftedScheduler(new AtomicLong(), new ConcurrentLinkedQueue<>()); }

    /** Runs the timers that have been set and not cancelled. */
    void release() throws Exception {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        for (Runnable task = held.poll(); task != null; task = held.poll()) threads.post(task);
        threads.post(() -> ended.complete(null));
        ended.get();
    }

    @Override public long now() { return threads.now() + skew.get(); }
    @Override public int jitter() { return threads.jitter(); }
    @Override public void post(Runnable task) { threads.post(task); }
    @Override public void call(Runnable task) { threads.call(task); }

    @Override public Runnable later(long milliseconds, Runnable task) {
        if (held == null) return threads.later(milliseconds, task);
        held.add(task);
        return () -> held.remove(task);
    }

    @Override public void close() { threads.close(); }
}
