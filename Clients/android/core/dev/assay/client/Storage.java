package dev.assay.client;

import java.io.IOException;

/** Where the kit keeps its state. It has no secret, but must not be in backups: keys are not restored with it. */
public interface Storage {
    /** What becomes of the content. */
    interface Change {
        /** @param stored null if nothing is stored. Returns the new content, or null to leave it. */
        byte[] apply(byte[] stored);
    }

    /**
     * Changes the content. No other thread or process reads or changes it meanwhile, and when this returns it survives the process.
     *
     * @throws IOException if it may be unchanged
     */
    void update(Change change) throws IOException;

    /** For tests, and apps whose keys are to end with the process. */
    static Storage memory() {
        return new Storage() {
            private byte[] content;

            @Override public synchronized void update(Change change) {
                byte[] next = change.apply(content);
                if (next != null) content = next;
            }
        };
    }
}
