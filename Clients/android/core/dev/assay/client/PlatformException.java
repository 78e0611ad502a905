package dev.assay.client;

/** A failure of the keystore or of Play Integrity, in classes that the kit acts on. */
public final class PlatformException extends Exception {
    private static final long serialVersionUID = 1;

    /** What the kit does about it. */
    public enum Kind {
        /** May pass, after a while or with a connection. */
        LATER("later"),
        /** The same call once more, at once. */
        AGAIN("again"),
        /** The key is no more, or cannot be used any more. */
        KEY_GONE("key-gone"),
        /** The user must unlock the device or authenticate first. */
        LOCKED("locked"),
        /** A wrong call: a fault of the app or the kit. */
        BUG("bug"),
        /** This device or system cannot make the evidence. */
        UNSUPPORTED("unsupported"),
        /** The provider of Play Integrity's tokens must be prepared again. */
        PROVIDER_INVALID("provider-invalid"),
        /** The user must install, update or sign in to something of Google's. */
        NO_PLAY_SERVICES("no-play-services"),
        /** Tampering, or a fault of the app. */
        FAILED("failed");

        final String text;

        Kind(String text) { this.text = text; }
    }

    private final Kind kind;
    private final String code;

    /** @param code such as {@code keystore:16}: letters, digits, {@code :}, {@code .}, {@code _} and {@code -}, at most 64 */
    public PlatformException(Kind kind, String code, Throwable cause) {
        super(kind.text + " (" + code + ")", cause);
        this.kind = kind;
        this.code = code;
    }

    public Kind kind() { return kind; }

    public String code() { return code; }

    /** Any other failure of an adapter's call counts as one that may pass. */
    static PlatformException of(Throwable error) {
        if (error instanceof PlatformException) return (PlatformException) error;
        return new PlatformException(Kind.LATER, "exception:" + error.getClass().getSimpleName(), error);
    }
}
