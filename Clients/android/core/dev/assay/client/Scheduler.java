package dev.assay.client;

import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** The threads and the clock of a client: a seam for tests, which run them in every order. */
interface Scheduler {
    /** Milliseconds since 1970 by the device's clock. */
    long now();

    /** Drawn from 0 to 1000. */
    int jitter();

    /** Runs on the client's one thread, in the order of the calls. */
    void post(Runnable task);

    /** Runs something that may take long on another thread. */
    void call(Runnable task);

    /** Posts a task later. Returns what cancels it. */
    Runnable later(long milliseconds, Runnable task);

    void close();

    /** Threads that do not keep the process alive. Those for calls end when they are idle. */
    static Scheduler threads() {
        final ThreadFactory daemons = task -> {
            Thread thread = new Thread(task, "assay-client");
            thread.setDaemon(true);
            return thread;
        };
        final ScheduledExecutorService loop = Executors.newSingleThreadScheduledExecutor(daemons);
        final ExecutorService calls = Executors.newCachedThreadPool(daemons);
        final Random random = new Random();
        return new Scheduler() {
            @Override public long now() { return System.currentTimeMillis(); }
            @Override public int jitter() { return random.nextInt(1001); }
            @Override public void post(Runnable task) { ignoreClosed(() -> loop.execute(task)); }
            @Override public void call(Runnable task) { ignoreClosed(() -> calls.execute(task)); }

            @Override public Runnable later(long milliseconds, Runnable task) {
                try {
                    ScheduledFuture<?> timer = loop.schedule(task, Math.max(0, milliseconds), TimeUnit.MILLISECONDS);
                    return () -> timer.cancel(false);
                } catch (RejectedExecutionException closed) {
                    return () -> {};
                }
            }

            @Override public void close() {
                loop.shutdown();
                calls.shutdown();
            }

            /** What comes after the end has nobody who waits for it. */
            private void ignoreClosed(Runnable task) {
                try {
                    task.run();
                } catch (RejectedExecutionException closed) {
                    return;
                }
            }
        };
    }
}
