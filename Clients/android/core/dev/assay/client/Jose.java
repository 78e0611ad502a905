package dev.assay.client;

import java.math.BigInteger;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECFieldFp;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import javax.crypto.Cipher;
import javax.crypto.KeyAgreement;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** What the kit reads of JOSE: keys on P-256 (RFC 7517), ES256 (RFC 7515), and ECDH-ES with A256GCM (RFC 7516, RFC 7518). */
final class Jose {
    static final ECGenParameterSpec P256 = new ECGenParameterSpec("secp256r1");
    private static final String ENCRYPTION = "A256GCM";

    private Jose() {}

    /** The bytes of base64url without padding; null if the text is something else, or another text of the same bytes. */
    static byte[] decode(Object text) {
        if (!(text instanceof String)) return null;
        try {
            byte[] bytes = Base64.getUrlDecoder().decode((String) text);
            return Bytes.base64url(bytes).equals(text) ? bytes : null;
        } catch (IllegalArgumentException malformed) {
            return null;
        }
    }

    /** The object of a part of a compact JWS or JWE; null if it is none. */
    static Map<String, Object> object(String part) {
        byte[] bytes = decode(part);
        try {
            return bytes == null ? null : Json.object(bytes);
        } catch (Json.Malformed error) {
            return null;
        }
    }

    /** A public key on P-256; null if the value is something else. */
    static ECPublicKey key(Object jwk) {
        Map<String, Object> members = Json.object(jwk);
        if (members == null || !"EC".equals(members.get("kty")) || !"P-256".equals(members.get("crv"))) return null;
        byte[] x = decode(members.get("x"));
        byte[] y = decode(members.get("y"));
        if (x == null || x.length != 32 || y == null || y.length != 32) return null;
        try {
            AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
            parameters.init(P256);
            ECParameterSpec curve = parameters.getParameterSpec(ECParameterSpec.class);
            ECPoint point = new ECPoint(new BigInteger(1, x), new BigInteger(1, y));
            if (!isOn(curve, point)) return null;
            return (ECPublicKey) KeyFactory.getInstance("EC").generatePublic(new ECPublicKeySpec(point, curve));
        } catch (GeneralSecurityException unusable) {
            return null;
        }
    }

    /** Not all providers compare a point with its curve. */
    private static boolean isOn(ECParameterSpec curve, ECPoint point) {
        BigInteger p = ((ECFieldFp) curve.getCurve().getField()).getP();
        BigInteger x = point.getAffineX();
        BigInteger y = point.getAffineY();
        if (x.compareTo(p) >= 0 || y.compareTo(p) >= 0) return false;
        BigInteger right = x.multiply(x).add(curve.getCurve().getA()).multiply(x).add(curve.getCurve().getB());
        return y.multiply(y).subtract(right).mod(p).signum() == 0;
    }

    /** ES256. */
    static boolean verify(ECPublicKey key, String signed, byte[] signature) {
        if (signature == null || signature.length != 64) return false;
        try {
            Signature verifier = Signature.getInstance("SHA256withECDSA");
            verifier.initVerify(key);
            verifier.update(Bytes.utf8(signed));
            return verifier.verify(EcdsaSignature.der(signature));
        } catch (GeneralSecurityException refused) {
            return false;
        }
    }

    /**
     * The content of a compact JWE for the key pair.
     *
     * @throws GeneralSecurityException if it is none of this type, or not for this key. Its text has nothing of the content
     */
    static byte[] open(String text, KeyPair pair, String type) throws GeneralSecurityException {
        String[] parts = text.split("\\.", -1);
        Map<String, Object> header = parts.length == 5 ? object(parts[0]) : null;
        ECPublicKey sender = header == null ? null : key(header.get("epk"));
        boolean isOurs = sender != null && "ECDH-ES".equals(header.get("alg")) && ENCRYPTION.equals(header.get("enc"))
            && type.equals(header.get("typ")) && parts[1].isEmpty();
        for (String member : new String[] {"crit", "zip", "apu", "apv"}) isOurs &= header != null && !header.containsKey(member);
        byte[] nonce = isOurs ? decode(parts[2]) : null;
        byte[] sealed = isOurs ? decode(parts[3]) : null;
        byte[] tag = isOurs ? decode(parts[4]) : null;
        if (nonce == null || nonce.length != 12 || sealed == null || tag == null || tag.length != 16) {
            throw new GeneralSecurityException("not a JWE of the type " + type);
        }
        KeyAgreement agreement = KeyAgreement.getInstance("ECDH");
        agreement.init(pair.getPrivate());
        agreement.doPhase(sender, true);
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(Cipher.DECRYPT_MODE, new SecretKeySpec(derive(agreement.generateSecret()), "AES"), new GCMParameterSpec(128, nonce));
        cipher.updateAAD(Bytes.utf8(parts[0]));
        byte[] joined = Arrays.copyOf(sealed, sealed.length + tag.length);
        System.arraycopy(tag, 0, joined, sealed.length, tag.length);
        return cipher.doFinal(joined);
    }

    /** RFC 7518 section 4.6.2: one round of SHA-256, without names of the parties. */
    private static byte[] derive(byte[] shared) {
        MessageDigest digest = Bytes.sha256();
        digest.update(new byte[] {0, 0, 0, 1});
        digest.update(shared);
        digest.update(new byte[] {0, 0, 0, (byte) ENCRYPTION.length()});
        digest.update(Bytes.utf8(ENCRYPTION));
        // Two empty names, and the length of the key in bits.
        digest.update(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0});
        return digest.digest();
    }
}
