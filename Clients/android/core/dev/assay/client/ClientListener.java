package dev.assay.client;

/**
 * The kit's events for the app's telemetry. The kit writes no log itself, and no event has a token, a key or a challenge. Calls come from
 * the kit's thread, one at a time: return at once.
 */
public interface ClientListener {
    /**
     * Something has happened.
     *
     * @param event {@code phase} (the enrolment goes on), {@code without-evidence}, {@code failed} (a request), {@code platform} (a call of
     *     the keystore or of Play Integrity failed), {@code server} (a call of the backend failed), {@code storage} or
     *     {@code configuration} (one came, such as {@code applied:7}, {@code forced:7}, {@code refused:signature})
     * @param detail what, such as {@code enrolled}, {@code keystore:16}, {@code http:503}; or the cause of a failure
     * @param remedy the server's, or null
     */
    void on(String event, String detail, String remedy);
}
