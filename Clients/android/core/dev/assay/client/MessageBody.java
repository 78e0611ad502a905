package dev.assay.client;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;

/** The content of a request, which is read twice: for the digest, then to be sent. */
public abstract class MessageBody {
    /** The number of bytes. */
    public abstract long length() throws IOException;

    /** A stream from the first byte on, a new one for each call. */
    public abstract InputStream open() throws IOException;

    /** Bytes in memory. The array is not copied: it must not change before the request was sent. */
    public static MessageBody bytes(final byte[] bytes) {
        return new MessageBody() {
            @Override public long length() { return bytes.length; }
            @Override public InputStream open() { return new ByteArrayInputStream(bytes); }
        };
    }

    /** A file, which must not change before the request was sent. */
    public static MessageBody file(final File file) {
        return new MessageBody() {
            @Override public long length() throws IOException {
                if (!file.isFile()) throw new IOException("no such file");
                return file.length();
            }

            @Override public InputStream open() throws IOException { return new FileInputStream(file); }
        };
    }

    /**
     * The value of {@code Content-Digest} (RFC 9530), or null for an empty body, which has none.
     *
     * @throws AssayClientException {@code bad-request} if the stream has another length than it says, or cannot be read
     */
    String digest() throws AssayClientException {
        try {
            long expected = length();
            if (expected == 0) return null;
            MessageDigest digest = Bytes.sha256();
            long count = 0;
            try (InputStream stream = open()) {
                byte[] buffer = new byte[1 << 16];
                for (int n = stream.read(buffer); n >= 0; n = stream.read(buffer)) {
                    digest.update(buffer, 0, n);
                    count += n;
                }
            }
            if (count != expected) {
                throw AssayClientException.badRequest("the body says that it has " + expected + " bytes, and its stream has " + count
                    + ": give the length that the stream has");
            }
            return "sha-256=:" + Bytes.base64(digest.digest()) + ":";
        } catch (IOException error) {
            throw new AssayClientException(AssayClientException.Code.BAD_REQUEST,
                "The body of the request cannot be read (" + error.getClass().getSimpleName() + "). Give a body that can be opened twice.",
                error);
        }
    }
}
