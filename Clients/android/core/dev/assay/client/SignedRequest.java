package dev.assay.client;

import java.util.Collections;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A request with its evidence. It is sent once; a repetition gets evidence of its own. */
public final class SignedRequest {
    /** A request of the app, until it was answered. */
    abstract static class Source {
        final String op;
        private final long timeoutMillis;
        /** What the caller waits for. */
        volatile CompletableFuture<SignedRequest> next = new CompletableFuture<>();

        Source(String op, ClientSettings settings) {
            this.op = op;
            timeoutMillis = settings.timeoutMillis;
        }

        /** Null if the answer ends the request; else what comes next. */
        abstract CompletableFuture<SignedRequest> answered(HttpTransport.Answer answer);

        abstract void lost(boolean sent);

        /** The caller waits no more. */
        void cancel() { lost(false); }

        final SignedRequest await() throws AssayClientException { return await(next, timeoutMillis, this::cancel); }

        static <T> T await(CompletableFuture<T> future, long milliseconds, Runnable cancel) throws AssayClientException {
            try {
                return future.get(milliseconds, TimeUnit.MILLISECONDS);
            } catch (ExecutionException error) {
                if (error.getCause() instanceof AssayClientException) throw (AssayClientException) error.getCause();
                throw AssayClientException.of(Fields.of("fail", "cause", "platform", "code", "kit"), error);
            } catch (TimeoutException error) {
                cancel.run();
                throw AssayClientException.of(Fields.of("fail", "cause", "timeout"), error);
            } catch (InterruptedException error) {
                cancel.run();
                Thread.currentThread().interrupt();
                throw AssayClientException.of(Fields.of("fail", "cause", "closed"), error);
            }
        }
    }

    private final Map<String, String> fields;
    private final boolean hasEvidence;
    private final Source source;

    SignedRequest(Map<String, String> fields, boolean hasEvidence, Source source) {
        this.fields = Collections.unmodifiableMap(fields);
        this.hasEvidence = hasEvidence;
        this.source = source;
    }

    /** The fields to set on the request, last of all. */
    public Map<String, String> fields() { return fields; }

    /** Whether there is evidence, or the reason why there is none. */
    public boolean hasEvidence() { return hasEvidence; }

    /**
     * Reports the answer. Blocks while the kit makes other evidence, if the answer asks for that.
     *
     * @return null if the answer is the request's; else the request to send in its place: the rejected one was not executed
     * @throws AssayClientException {@code refused}, {@code halted} or others if the server rejected the evidence and no other can help
     */
    public SignedRequest answered(HttpTransport.Answer answer) throws AssayClientException {
        return source.answered(answer) == null ? null : source.await();
    }

    /** What waits for the answer. */
    Source source() { return source; }

    /** Reports that no answer came. {@code sent}: whether something may have reached the server. */
    public void lost(boolean sent) { source.lost(sent); }
}
