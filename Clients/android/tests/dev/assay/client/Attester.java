package dev.assay.client;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

/** The attestations of a test authority, as a device's TEE writes them (Android key attestation, version 400). */
final class Attester {
    static final String PACKAGE = "com.example.shop";
    static final String DIGEST = "0fc5202c30ed7020736e85cfefc5caf11ec3c40bafb4ced54e2a8fc6835430d9";
    private final KeyPair root = pair();
    private final KeyPair intermediate = pair();
    private final KeyPair device = pair();
    private final byte[] rootCertificate;
    private final byte[] intermediateCertificate;
    private final byte[] deviceCertificate;

    Attester() throws Exception {
        Instant from = Instant.now().minus(Duration.ofDays(1));
        Instant to = from.plus(Duration.ofDays(30));
        rootCertificate = certificate(1, "Test Root", "Test Root", root.getPublic(), root.getPrivate(), from, to, true);
        intermediateCertificate = certificate(2, "Droid CA2", "Test Root", intermediate.getPublic(), root.getPrivate(), from, to, true);
        deviceCertificate = certificate(3, "TEE", "Droid CA2", device.getPublic(), intermediate.getPrivate(), from, to, true);
    }

    static KeyPair pair() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair();
    }

    /** The root, for the policy's `testRoots`. */
    String pem() {
        return "-----BEGIN CERTIFICATE-----\n" + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(rootCertificate)
            + "\n-----END CERTIFICATE-----\n";
    }

    /** The chain of a key, that of the key first. A challenge of null is a key without an attestation. */
    List<byte[]> attest(PublicKey key, byte[] challenge, String packageName) throws Exception {
        byte[][] none = {};
        byte[][] extension = challenge == null ? none
            : new byte[][] {extension("1.3.6.1.4.1.11129.2.1.17", false, description(challenge, packageName))};
        byte[] leaf = certificate(1, "Android Keystore Key", "TEE", key, device.getPrivate(), Instant.EPOCH,
            Instant.parse("2048-01-01T00:00:00Z"), false, extension);
        return List.of(leaf, deviceCertificate, intermediateCertificate, rootCertificate);
    }

    private static byte[] description(byte[] challenge, String packageName) {
        Instant now = Instant.now();
        int month = Integer.parseInt(DateTimeFormatter.ofPattern("yyyyMM").withZone(ZoneOffset.UTC).format(now));
        byte[] app = sequence(set(sequence(octets(packageName.getBytes(StandardCharsets.UTF_8)), integer(42))),
            set(octets(HexFormat.of().parseHex(DIGEST))));
        byte[] software = sequence(context(701, integer(now.toEpochMilli())), context(709, octets(app)));
        byte[] boot = sequence(octets(Bytes.sha256(Check.bytes(1))), tlv(1, Check.bytes(255)), enumerated(0),
            octets(Bytes.sha256(Check.bytes(2))));
        byte[] hardware = sequence(context(1, set(integer(2))), context(2, integer(3)), context(3, integer(256)),
            context(5, set(integer(4))),
            context(10, integer(1)), context(503, tlv(5)), context(702, integer(0)), context(704, boot), context(705, integer(160000)),
            context(706, integer(month)));
        return sequence(integer(400), enumerated(1), integer(400), enumerated(1), octets(challenge), octets(new byte[0]), software,
            hardware);
    }

    static byte[] certificate(long serial, String subject, String issuer, PublicKey key, PrivateKey signer, Instant from,
        Instant to,
        boolean isAuthority, byte[]... more) throws Exception {
        byte[] algorithm = sequence(identifier("1.2.840.10045.4.3.2"));
        byte[] constraints = isAuthority ? extension("2.5.29.19", true, sequence(tlv(1, Check.bytes(255)))) : new byte[0];
        byte[] usage = extension("2.5.29.15", true, tlv(3, isAuthority ? Check.bytes(1, 6) : Check.bytes(7, 0x80)));
        byte[] body = sequence(tlv(0xa0, integer(2)), integer(serial), algorithm, name(issuer), sequence(time(from), time(to)),
            name(subject),
            key.getEncoded(), tlv(0xa3, sequence(constraints, usage, joined(more))));
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(signer);
        signature.update(body);
        return sequence(body, algorithm, tlv(3, Check.bytes(0), signature.sign()));
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) out.writeBytes(part);
        return out.toByteArray();
    }

    private static byte[] tagged(byte[] tag, byte[] value) {
        int n = value.length;
        byte[] length = n < 128 ? Check.bytes(n) : n < 256 ? Check.bytes(0x81, n) : Check.bytes(0x82, n >> 8, n);
        return joined(tag, length, value);
    }

    static byte[] tlv(int tag, byte[]... values) { return tagged(Check.bytes(tag), joined(values)); }

    static byte[] sequence(byte[]... values) { return tlv(0x30, values); }

    private static byte[] set(byte[]... values) { return tlv(0x31, values); }

    private static byte[] integer(long value) { return tlv(2, BigInteger.valueOf(value).toByteArray()); }

    private static byte[] octets(byte[] value) { return tlv(4, value); }

    private static byte[] enumerated(int value) { return tlv(10, Check.bytes(value)); }

    private static byte[] context(int number, byte[] value) {
        byte[] tag = number < 31 ? Check.bytes(0xa0 | number)
            : number < 128 ? Check.bytes(0xbf, number) : Check.bytes(0xbf, 0x80 | number >> 7, number & 0x7f);
        return tagged(tag, value);
    }

    private static byte[] identifier(String text) {
        long[] arcs = Arrays.stream(text.split("\\.")).mapToLong(Long::parseLong).toArray();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write((int) (arcs[0] * 40 + arcs[1]));
        for (int i = 2; i < arcs.length; i++) {
            for (int shift = 28; shift >= 0; shift -= 7) {
                if (shift == 0 || arcs[i] >> shift != 0) out.write((int) (arcs[i] >> shift & 0x7f | (shift == 0 ? 0 : 0x80)));
            }
        }
        return tlv(6, out.toByteArray());
    }

    private static byte[] name(String common) {
        return sequence(set(sequence(identifier("2.5.4.3"), tlv(12, common.getBytes(StandardCharsets.UTF_8)))));
    }

    private static byte[] time(Instant at) {
        String text = DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'").withZone(ZoneOffset.UTC).format(at);
        return tlv(0x17, text.getBytes(StandardCharsets.US_ASCII));
    }

    static byte[] extension(String id, boolean isCritical, byte[] value) {
        return isCritical ? sequence(identifier(id), tlv(1, Check.bytes(255)), octets(value)) : sequence(identifier(id), octets(value));
    }
}
