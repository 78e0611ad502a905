package com.google.android.gms.tasks;

import java.util.concurrent.Executor;

/** As the platform's, which is abstract; tests make ended ones, and some that never end. */
public class Task<T> {
    private final T result;
    private final Exception exception;
    private final boolean ends;

    public Task(T result, Exception exception, boolean ends) {
        this.result = result;
        this.exception = exception;
        this.ends = ends;
    }

    public boolean isSuccessful() {
        return exception == null;
    }

    public T getResult() {
        return result;
    }

    public Exception getException() {
        return exception;
    }

    public Task<T> addOnCompleteListener(Executor executor, OnCompleteListener<T> listener) {
        if (ends) executor.execute(() -> listener.onComplete(this));
        return this;
    }
}
