package dev.assay.client;

import java.io.IOException;
import java.text.ParseException;
import java.text.SimpleDateFormat;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;

/** The calls of the app's backend, which passes them on to Assay, and what their answers mean. */
final class Backend {
    private static final String HTTP_DATE = "EEE, dd MMM yyyy HH:mm:ss 'GMT'";
    /** What can stand between quotes in a field. */
    static final String VISIBLE = "[!-~&&[^\"\\\\]]{1,512}";
    private static final List<String> REMEDIES = Arrays.asList("retry", "new-challenge", "new-attestation", "update-app",
        "update-system", "none");
    /** Problems of secrets with an error of their own. */
    private static final List<String> SECRETS = Arrays.asList("unknown-secret", "secrets-disabled", "invalid-secret-name");
    /** A Retry-After beyond this is a mistake, or a date by a wrong clock. */
    private static final long MAXIMUM_RETRY_AFTER = 24 * 3600;

    /** The app's own fields for the requests of the kit, such as those of its session. */
    interface SessionFields {
        Map<String, String> fields();
    }

    private final HttpTransport transport;
    private final SessionFields session;

    Backend(HttpTransport transport, SessionFields session) {
        this.transport = transport;
        this.session = session;
    }

    /** What an answer says. */
    static final class Reply {
        /** The server's object if it did what was asked; else null. */
        Map<String, Object> result;
        /** The remedy of a rejection; else null. */
        String remedy;
        /** Of a failure: {@code network}, {@code unavailable}, {@code limited}, {@code answer} or {@code configuration}. */
        String cause;
        /** A detail for telemetry, such as {@code http:503}. */
        String code;
        Long retryAfter;
        /** The server's clock, milliseconds since 1970. */
        Long date;
        /** Whether the server may have judged the request. */
        boolean sent;

        Fields event(String name, Object... values) {
            return Fields.of(name, values).and("cause", cause).and("code", code).and("remedy", remedy).and("retryAfter", retryAfter)
                .and("date", date).and("sent", sent ? true : null);
        }
    }

    Reply post(String url, Map<String, Object> body) {
        Map<String, String> fields;
        try {
            fields = session.fields();
        } catch (RuntimeException error) {
            return failure("configuration", "session:" + error.getClass().getSimpleName(), false);
        }
        try {
            return reply(transport.post(url, Bytes.utf8(Json.write(body)), fields));
        } catch (HttpTransport.NotSentException error) {
            AssayClientException refusal = Pinning.refusal(error);
            if (refusal != null) return failure(refusal.code().toString(), refusal.platformCode(), false);
            return failure(error.isMistake() ? "configuration" : "network", error.getMessage(), false);
        } catch (IOException | RuntimeException error) {
            return failure("network", error.getClass().getSimpleName(), true);
        }
    }

    /** The challenge of the reply; null, and then the reply is a failure, if it has none. */
    String challenge(Reply reply) {
        Object value = reply.result == null ? null : reply.result.get("challenge");
        if (value instanceof String && ((String) value).matches(VISIBLE) && !mayBeHash((String) value)) {
            return (String) value;
        }
        if (reply.result != null) reply.cause = "answer";
        reply.result = null;
        return null;
    }

    /**
     * Whether a challenge may be SHA-256, as bytes or in base64. Evidence over such a value is evidence for a token or for secrets,
     * whose key the backend, or an attacker in its place, would have chosen. Assay's challenges have 44 characters of base64url.
     */
    static boolean mayBeHash(String challenge) {
        int length = challenge.length();
        return length == 32 || length == 43 || length == 44 && challenge.endsWith("=");
    }

    static Reply failure(String cause, String code, boolean sent) {
        Reply reply = new Reply();
        reply.cause = cause;
        reply.code = code;
        reply.sent = sent;
        return reply;
    }

    /** The meaning of an answer of the endpoints for challenges, enrolments and tokens. */
    static Reply reply(HttpTransport.Answer answer) {
        Reply reply = meaning(answer);
        // The Date of a page that is not the server's says nothing.
        if (!"answer".equals(reply.cause)) {
            reply.date = date(answer.fields.get("date"), HTTP_DATE);
            reply.retryAfter = retryAfter(answer.fields.get("retry-after"), reply.date);
        }
        return reply;
    }

    private static Reply meaning(HttpTransport.Answer answer) {
        int status = answer.status;
        if (status >= 300 && status < 400) return failure("answer", "redirect", false);
        Map<String, Object> object = object(answer);
        boolean isVerdict = status < 300 || status == 401 || status == 403;
        Object outcome = object == null ? null : object.get("outcome");
        boolean hasRemedy = object != null && object.get("remedy") instanceof String && !"accept".equals(outcome);
        if (isVerdict && (hasRemedy || "reject".equals(outcome))) {
            // The response code of a rejection of secrets, for support.
            String arc = String.valueOf(object.get("arc"));
            Reply reply = failure("refused", arc.matches("[A-Z2-7]{8}") ? arc : null, false);
            reply.remedy = known(object.get("remedy"));
            return reply;
        }
        if (status == 429) return failure("limited", problem(object, status), false);
        // 503 is an outage before the verdict; behind the others there may be one.
        if (status >= 500) return failure("unavailable", problem(object, status), status != 503);
        if (status >= 400) {
            String problem = problem(object, status);
            return SECRETS.contains(problem) ? failure(problem, null, false) : failure("configuration", problem, false);
        }
        if (answer.body == null) return failure("answer", "too-long", true);
        // A page came from something before the server; JSON that was cut came from the server.
        if (object == null) return failure("answer", isJson(answer) ? "cut" : "not-json", isJson(answer));
        if (object.get("status") instanceof Long || object.get("problem") != null) return failure("answer", problem(object, status), false);
        Reply reply = new Reply();
        reply.result = object;
        return reply;
    }

    private static String problem(Map<String, Object> object, int status) {
        Object code = object == null ? null : object.get("code");
        return code instanceof String && ((String) code).matches("[a-z0-9.-]{1,64}") ? (String) code : "http:" + status;
    }

    private static boolean isJson(HttpTransport.Answer answer) {
        String type = answer.fields.get("content-type");
        return type != null && type.toLowerCase(Locale.ROOT).matches("application/([a-z.-]+\\+)?json\\s*(;.*)?");
    }

    private static Map<String, Object> object(HttpTransport.Answer answer) {
        if (answer.body == null || !isJson(answer)) return null;
        try {
            return Json.object(answer.body);
        } catch (Json.Malformed error) {
            return null;
        }
    }

    /** The remedy of a rejection of the app's own request (401 or 403), or null. Gateways that pass on no body have it in a field. */
    static String remedy(HttpTransport.Answer answer) {
        if (answer.status != 401 && answer.status != 403) return null;
        Map<String, Object> object = object(answer);
        Object remedy = object == null ? null : object.get("remedy");
        if (!(remedy instanceof String)) remedy = answer.fields.get("assay-remedy");
        return remedy == null ? null : known(remedy);
    }

    /** A remedy of a later server is one that the kit cannot carry out. */
    private static String known(Object remedy) { return REMEDIES.contains(remedy) ? (String) remedy : "contact-support"; }

    /** The event of an answer to the app's own request. */
    static Fields verdict(HttpTransport.Answer answer, String remedy, String op) {
        Long date = date(answer.fields.get("date"), HTTP_DATE);
        int status = answer.status;
        // By something that knows no remedies, or an outage: that says nothing about the evidence, and is the app's to handle.
        boolean isForeign = status >= 300 && status < 400 || status == 401 || status == 403 || status == 429 || status >= 500;
        return Fields.of(remedy != null ? "rejected" : isForeign ? "cancel" : "judged", "op", op, "remedy", remedy,
            "retryAfter", retryAfter(answer.fields.get("retry-after"), date), "date", date);
    }

    /** Seconds (RFC 9110 section 10.2.3), or null. A date counts from the answer's own. */
    private static Long retryAfter(String field, Long date) {
        if (field == null) return null;
        String text = field.trim();
        if (text.matches("[0-9]{1,9}")) return Math.min(Long.parseLong(text), MAXIMUM_RETRY_AFTER);
        Long until = date(text, HTTP_DATE);
        if (until == null || date == null) return null;
        return Math.max(0, Math.min((until - date) / 1000, MAXIMUM_RETRY_AFTER));
    }

    static Long date(String text, String format) {
        if (text == null) return null;
        SimpleDateFormat reader = new SimpleDateFormat(format, Locale.US);
        reader.setTimeZone(TimeZone.getTimeZone("GMT"));
        reader.setLenient(false);
        try {
            return reader.parse(text.trim()).getTime();
        } catch (ParseException error) {
            return null;
        }
    }

    /** Seconds that a challenge lives from now on. */
    static long life(Map<String, Object> result, Long date, long serverMillis) {
        Object text = result.get("expiresAt");
        Long ends = text instanceof String ? date(((String) text).replaceFirst("\\.[0-9]+", ""), "yyyy-MM-dd'T'HH:mm:ssXXX") : null;
        if (ends == null) return 0;
        return Math.max(0, Math.min((ends - (date == null ? serverMillis : date)) / 1000, MAXIMUM_RETRY_AFTER));
    }
}
