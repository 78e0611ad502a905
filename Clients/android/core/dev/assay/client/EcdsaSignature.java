package dev.assay.client;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Keystores write ECDSA signatures in DER (RFC 3279 section 2.2.3); HTTP message signatures and JWS have r and s, 32 bytes each. */
final class EcdsaSignature {
    private EcdsaSignature() {}

    /**
     * r and s of a signature on P-256, 64 bytes.
     *
     * @throws AssayClientException {@code keystore} for bytes that are not such a signature
     */
    static byte[] fixed(byte[] der) throws AssayClientException {
        // At most 2 + 2 * (2 + 33) = 72 bytes, so that every length has one byte.
        if (der.length < 8 || der.length > 72 || der[0] != 0x30 || der[1] != der.length - 2) throw malformed();
        byte[] result = new byte[64];
        int next = integer(der, 2, result, 0);
        if (integer(der, next, result, 32) != der.length) throw malformed();
        return result;
    }

    private static int integer(byte[] der, int at, byte[] target, int offset) throws AssayClientException {
        if (at + 2 > der.length || der[at] != 2) throw malformed();
        int length = der[at + 1];
        int start = at + 2;
        int end = start + length;
        if (length < 1 || end > der.length || der[start] < 0) throw malformed();
        while (start < end && der[start] == 0) start++;
        byte[] digits = Arrays.copyOfRange(der, start, end);
        if (digits.length == 0 || digits.length > 32) throw malformed();
        System.arraycopy(digits, 0, target, offset + 32 - digits.length, digits.length);
        return end;
    }

    /** The DER of r and s, 32 bytes each: Java reads them themselves since version 9 only. */
    static byte[] der(byte[] fixed) {
        byte[] r = new BigInteger(1, Arrays.copyOf(fixed, 32)).toByteArray();
        byte[] s = new BigInteger(1, Arrays.copyOfRange(fixed, 32, 64)).toByteArray();
        return ByteBuffer.allocate(6 + r.length + s.length).put((byte) 0x30).put((byte) (4 + r.length + s.length))
            .put((byte) 2).put((byte) r.length).put(r).put((byte) 2).put((byte) s.length).put(s).array();
    }

    private static AssayClientException malformed() {
        return new AssayClientException(AssayClientException.Code.KEYSTORE,
            "The keystore returned something else than an ECDSA signature on P-256 in DER. Use a key on P-256 with SHA-256.", null);
    }
}
