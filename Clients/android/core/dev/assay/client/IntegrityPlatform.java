package dev.assay.client;

/** Play Integrity. The kit calls it on threads of its own; calls may take a minute. */
public interface IntegrityPlatform {
    /** Prepares a provider of standard tokens. The object is the platform's; the kit only passes it back. */
    Object prepare() throws PlatformException;

    /** A standard token of the provider for the hash. */
    String request(Object provider, String requestHash) throws PlatformException;

    /** Takes what is to be run whenever the user has repaired something in a dialog of Google's. */
    default void onRepaired(Runnable action) {}
}
