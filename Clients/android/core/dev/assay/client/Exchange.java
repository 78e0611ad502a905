package dev.assay.client;

import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A request of the app that the enrolled key signs. */
final class Exchange extends SignedRequest.Source implements Enrolment.Work {
    private final RequestSignature request;
    private final Enrolment enrolment;

    Exchange(String op, RequestSignature request, ClientSettings settings, Enrolment enrolment) {
        super(op, settings);
        this.request = request;
        this.enrolment = enrolment;
        enrolment.need(op, this, settings.freshChallenges);
    }

    @Override public RequestSignature request() { return request; }
    @Override public String nonce(String challenge) { return challenge; }

    @Override public void send(Map<String, String> fields, Fields without) {
        next.complete(new SignedRequest(fields, without == null, this));
    }

    @Override public void done() { next.complete(null); }
    @Override public void fail(AssayClientException error) { next.completeExceptionally(error); }

    @Override CompletableFuture<SignedRequest> answered(HttpTransport.Answer answer) {
        Fields event = Backend.verdict(answer, Backend.remedy(answer), op);
        if (!event.name.equals("rejected")) {
            enrolment.post(event);
            return null;
        }
        CompletableFuture<SignedRequest> result = next = new CompletableFuture<>();
        enrolment.answered(this, event);
        return result;
    }

    @Override void lost(boolean sent) { enrolment.post(Fields.of("sendFailed", "op", op, "cause", "network", "sent", sent)); }
    @Override void cancel() { enrolment.post(Fields.of("cancel", "op", op)); }
}
