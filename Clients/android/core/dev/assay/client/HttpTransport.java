package dev.assay.client;

import java.io.IOException;
import java.net.ProtocolException;
import java.util.Map;

/** Sends the kit's own requests to the app's backend. Follows no redirect and repeats nothing. */
public interface HttpTransport {
    /** The longest answer that the kit reads. */
    int MAXIMUM_ANSWER = 1 << 20;

    /**
     * Posts JSON.
     *
     * @param fields of the request, such as the session's {@code Authorization}
     * @throws NotSentException if nothing of the request can have reached the server
     * @throws IOException if the answer did not come whole
     */
    Answer post(String url, byte[] json, Map<String, String> fields) throws IOException;

    /** No connection was made. */
    final class NotSentException extends IOException {
        private static final long serialVersionUID = 1;

        public NotSentException(Throwable cause) { super(cause.getClass().getSimpleName(), cause); }

        /** Whether it is no network that was missing, but a request or a permission that was wrong. */
        boolean isMistake() { return getCause() instanceof RuntimeException || getCause() instanceof ProtocolException; }
    }

    /** An answer of HTTP. Names of fields are in lower case. A body is null if it was longer than {@link #MAXIMUM_ANSWER}. */
    final class Answer {
        public final int status;
        public final Map<String, String> fields;
        public final byte[] body;

        public Answer(int status, Map<String, String> lowerCaseFields, byte[] body) {
            this.status = status;
            this.fields = lowerCaseFields;
            this.body = body;
        }
    }
}
