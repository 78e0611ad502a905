package dev.assay.client;

import java.util.Locale;

/** Why a call of the kit did not end as it was to: a code to match, and a sentence that says what to do. */
public final class AssayClientException extends Exception {
    private static final long serialVersionUID = 1;

    /** What went wrong. More may come, so a switch over it needs `default`. */
    public enum Code {
        /** The request cannot be signed as it is: its URL, its body, a redirect. A bug of the app. */
        BAD_REQUEST,
        /** Wrong arguments of the kit, or a backend that answers 4xx without a remedy. A bug of the app or its backend. */
        CONFIGURATION,
        /** No connection, or no answer. */
        NETWORK,
        /** The server answers with 5xx. See {@link #retryAfterSeconds}. */
        UNAVAILABLE,
        /** The server answers with 429: too many challenges or requests. See {@link #retryAfterSeconds}. */
        LIMITED,
        /** The answer is not the server's JSON: a page of a captive portal, a redirect, something cut or huge. */
        ANSWER,
        /** The server rejected the evidence. See {@link #remedy}. */
        REFUSED,
        /** The server rejected this installation until the app or the system changes, or a day is over. See {@link #remedy}. */
        HALTED,
        /** The kit has made as many keys as it may in a day. */
        TOO_MANY_KEYS,
        /** The server has no certificate that the app's pins allow: it is intercepted, or the pins are old. Nothing was sent. */
        PINS,
        /** The app has received pins that it must apply first, by {@link Pinning#apply}. Nothing was sent. */
        PINS_OUTDATED,
        /** An operator has blocked the connections of this device. Nothing was sent. */
        BLOCKED,
        /** The server has no secret of this name for the app. */
        UNKNOWN_SECRET,
        /** The server gives the app no secrets. */
        SECRETS_DISABLED,
        /** No secret can have this name, or there are too many of them. A bug of the app. */
        INVALID_SECRET_NAME,
        /** The keystore or Play Integrity failed. See {@link #platformCode}. */
        PLATFORM,
        /** The keystore returned something that cannot be used. */
        KEYSTORE,
        /** The kit's state could not be stored. */
        STORAGE,
        /** The account was forgotten while the request was under way. */
        FORGOTTEN,
        /** The caller's time is over. */
        TIMEOUT,
        /** The client was closed, or the thread was interrupted. */
        CLOSED;

        /** Such as {@code too-many-keys}, for logs and metrics. */
        @Override public String toString() { return name().toLowerCase(Locale.ROOT).replace('_', '-'); }
    }

    private final Code code;
    private final String remedy;
    private final String platformCode;
    private final Long retryAfterSeconds;
    private final boolean sent;

    AssayClientException(Code code, String sentence, Throwable cause) { this(code, sentence, cause, null, null, null, false); }

    private AssayClientException(Code code, String sentence, Throwable cause, String remedy, String platformCode, Long retryAfterSeconds,
        boolean sent) {
        super(sentence, cause);
        this.code = code;
        this.remedy = remedy;
        this.platformCode = platformCode;
        this.retryAfterSeconds = retryAfterSeconds;
        this.sent = sent;
    }

    static AssayClientException badRequest(String sentence) {
        return new AssayClientException(Code.BAD_REQUEST, "The request cannot be signed: " + sentence + ".", null);
    }

    static AssayClientException configuration(String sentence) {
        return new AssayClientException(Code.CONFIGURATION, sentence, null);
    }

    static AssayClientException closed() { return of(Fields.of("fail", "cause", "closed")); }

    /** The text of the platform may have the value of a field, and is left out. */
    static AssayClientException notSent(HttpTransport.NotSentException error) {
        return configuration("The request cannot be sent (" + error.getMessage()
            + "). Check its method, the characters of its fields, and the app's permission INTERNET.");
    }

    /** The error of the action `fail`. */
    static AssayClientException of(Fields action) { return of(action, null); }

    static AssayClientException of(Fields action, Throwable error) {
        String cause = action.text("cause");
        String remedy = action.text("remedy");
        String detail = action.text("code");
        Long wait = action.number("retryAfter");
        Code code = Code.PLATFORM;
        for (Code each : Code.values()) if (each.toString().equals(cause)) code = each;
        String sentence = sentence(code, detail, remedy);
        if (wait != null) sentence += " Try again in " + wait + " seconds.";
        return new AssayClientException(code, sentence, error, remedy, detail, wait, action.flag("sent"));
    }

    private static String sentence(Code code, String detail, String remedy) {
        String found = detail == null ? "" : " (" + detail + ")";
        switch (code) {
            case NETWORK: return "The server cannot be reached" + found + ". Try again with a connection.";
            case UNAVAILABLE: return "The server is not able to answer now" + found + ".";
            case LIMITED: return "The server has too much to do" + found + ".";
            case ANSWER: return "The answer is not the server's" + found
                + ". Sign in to the network if it has a page for that; else check the URL of the client.";
            case CONFIGURATION: return "The app's backend does not take the kit's request" + found
                + ". Check the app's name and URL in the kit, and the relay of the backend.";
            case REFUSED: return "The server rejected the evidence" + found + ". " + advice(remedy);
            case HALTED: return "The server rejected this installation. " + advice(remedy);
            case TOO_MANY_KEYS: return "This installation has made as many keys as it may in a day. Try again later.";
            case STORAGE: return "The state of the kit could not be stored. Free space, and check that the folder can be written.";
            case FORGOTTEN: return "The account was removed from the kit while the request was under way.";
            case PINS: return "The server presented no certificate that the app knows" + found
                + ". Try again in another network; if it fails there, too, update the app.";
            case PINS_OUTDATED: return "The app must use its newest pins before it connects. Apply them.";
            case BLOCKED: return "An operator has blocked the connections of this device. Contact support.";
            case UNKNOWN_SECRET: return "The server has no such secret for the app. Check its name, the policy's secrets.names and"
                + " `assay secrets list`.";
            case SECRETS_DISABLED: return "The server gives the app no secrets. Check the policy's secrets.enabled.";
            case INVALID_SECRET_NAME: return "The server takes 1 to 16 names of secrets, each of 1 to 64 printable ASCII characters.";
            case TIMEOUT: return "There was no evidence in time; the kit goes on in the background. Try again, or prefetch earlier.";
            case CLOSED: return "The request was given up: the client was closed, the thread was interrupted, or too many requests got no"
                + " answer. Try again if it is still wanted.";
            default: return "The device could not make evidence" + found
                + ". Try again; if it fails after a restart of the device too, tell support the code.";
        }
    }

    private static String advice(String remedy) {
        if (remedy == null) return "Try again later.";
        switch (remedy) {
            case "retry": return "Repeat the request if it may be repeated.";
            case "new-challenge":
            case "new-attestation": return "The kit has tried that once. Try again later; if it stays so, tell support.";
            case "update-app": return "Ask the user to update the app.";
            case "update-system": return "Ask the user to update the system.";
            default: return "Ask the user to restart the device once, then to contact support.";
        }
    }

    public Code code() { return code; }

    /** What the server says that can help, such as {@code update-app}; null if it has not said. */
    public String remedy() { return remedy; }

    /** The code of the failed check, HTTP status or platform error, such as {@code keystore:16}; null if there is none. */
    public String platformCode() { return platformCode; }

    /** When another attempt makes sense, or null. */
    public Long retryAfterSeconds() { return retryAfterSeconds; }

    /** Whether the server may have executed the request. The app then decides whether it may be repeated. */
    public boolean mayHaveBeenExecuted() { return sent; }
}
