package dev.assay.client;

import java.util.Collections;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A request with its evidence. It is sent once; a repetition gets evidence of its own. */
public final class SignedRequest {
    /** What the kit does with the answer. */
    interface Source {
        /** Null if the answer ends the request; else what comes next. */
        CompletableFuture<SignedRequest> answered(HttpTransport.Answer answer);

        void lost(boolean sent);

        SignedRequest await(CompletableFuture<SignedRequest> next) throws AssayClientException;
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
        CompletableFuture<SignedRequest> next = source.answered(answer);
        return next == null ? null : source.await(next);
    }

    /** What waits for the answer. */
    Source source() { return source; }

    /** Reports that no answer came. {@code sent}: whether something may have reached the server. */
    public void lost(boolean sent) { source.lost(sent); }
}
