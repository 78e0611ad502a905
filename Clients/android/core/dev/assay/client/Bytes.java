package dev.assay.client;

import java.nio.charset.Charset;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;

/** Encodings and SHA-256, as every JRE and Android since API 26 has them. */
final class Bytes {
    static final Charset UTF_8 = java.nio.charset.StandardCharsets.UTF_8;
    private static final SecureRandom RANDOM = new SecureRandom();

    private Bytes() {}

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            // Every Java platform must have SHA-256 (java.security.MessageDigest).
            throw new IllegalStateException(impossible);
        }
    }

    static byte[] sha256(byte[] data) { return sha256().digest(data); }

    /** Standard base64 with padding. */
    static String base64(byte[] data) { return Base64.getEncoder().encodeToString(data); }

    /** base64url without padding (RFC 4648 section 5). */
    static String base64url(byte[] data) { return Base64.getUrlEncoder().withoutPadding().encodeToString(data); }

    static byte[] utf8(String text) { return text.getBytes(UTF_8); }

    /** Random text of 128 bits, base64url. */
    static String nonce() { return base64url(random(16)); }

    static byte[] random(int count) {
        byte[] bytes = new byte[count];
        RANDOM.nextBytes(bytes);
        return bytes;
    }
}
