package dev.assay.client;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A request of the app, from its signature to its answer. */
final class Exchange implements Enrolment.Work, SignedRequest.Source {
    private final String op;
    private final RequestSignature request;
    private final ClientSettings settings;
    private final Enrolment enrolment;
    /** What the caller waits for. */
    private volatile CompletableFuture<SignedRequest> next = new CompletableFuture<>();

    Exchange(String op, RequestSignature request, ClientSettings settings, Enrolment enrolment) {
        this.op = op;
        this.request = request;
        this.settings = settings;
        this.enrolment = enrolment;
    }

    CompletableFuture<SignedRequest> start() {
        enrolment.need(op, this, settings.freshChallenges);
        return next;
    }

    @Override public RequestSignature request() { return request; }
    @Override public String nonce(String challenge) { return challenge; }

    @Override public void send(Map<String, String> fields, Fields without) {
        next.complete(new SignedRequest(fields, without == null, this));
    }

    @Override public void done() { next.complete(null); }
    @Override public void fail(AssayClientException error) { next.completeExceptionally(error); }

    @Override public CompletableFuture<SignedRequest> answered(HttpTransport.Answer answer) {
        Fields event = Backend.verdict(answer, Backend.remedy(answer), op);
        boolean again = event.name.equals("rejected");
        if (again) next = new CompletableFuture<>();
        CompletableFuture<SignedRequest> result = next;
        if (again) enrolment.answered(this, event);
        else enrolment.post(event);
        return again ? result : null;
    }

    @Override public void lost(boolean sent) {
        enrolment.post(Fields.of("sendFailed", "op", op, "cause", "network", "sent", sent));
    }

    @Override public SignedRequest await(CompletableFuture<SignedRequest> future) throws AssayClientException {
        return await(future, settings.timeoutMillis, () -> enrolment.post(Fields.of("cancel", "op", op)));
    }

    static <T> T await(CompletableFuture<T> future, long milliseconds, Runnable cancel) throws AssayClientException {
        try {
            return future.get(milliseconds, TimeUnit.MILLISECONDS);
        } catch (ExecutionException error) {
            if (error.getCause() instanceof AssayClientException) throw (AssayClientException) error.getCause();
            throw new AssayClientException(AssayClientException.Code.PLATFORM, "The kit failed. Report the cause to its authors.", error);
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
