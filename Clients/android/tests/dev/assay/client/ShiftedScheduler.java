package dev.assay.client;

import java.util.concurrent.atomic.AtomicLong;

/** The threads of a client with another clock. */
final class ShiftedScheduler implements Scheduler {
    private final Scheduler threads = Scheduler.threads();
    private final AtomicLong skew;

    private ShiftedScheduler(AtomicLong skew) { this.skew = skew; }

    /** A clock that is so many milliseconds ahead, which the test may change. */
    static Scheduler by(AtomicLong skew) { return new ShiftedScheduler(skew); }

    @Override public long now() { return threads.now() + skew.get(); }
    @Override public int jitter() { return threads.jitter(); }
    @Override public void post(Runnable task) { threads.post(task); }
    @Override public void call(Runnable task) { threads.call(task); }
    @Override public Runnable later(long milliseconds, Runnable task) { return threads.later(milliseconds, task); }
    @Override public void close() { threads.close(); }
}
