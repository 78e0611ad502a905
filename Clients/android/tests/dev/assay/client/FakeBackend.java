package dev.assay.client;

import java.nio.ByteBuffer;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import javax.crypto.Cipher;
import javax.crypto.KeyAgreement;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** A backend that accepts everything, for what `assay serve` cannot be made to answer. */
final class FakeBackend implements AutoCloseable {
    final TlsServer server = new TlsServer(null);
    /** Answers in place of the usual ones, by path; null for those. */
    volatile Function<String, String> answers = path -> null;
    volatile Map<String, Object> secrets = Map.of();
    volatile long life = 3600;
    /** Changes the content that is sealed. */
    volatile Function<Map<String, Object>, Map<String, Object>> content = claims -> claims;
    /** A configuration beside tokens, or null. */
    volatile String configuration;

    FakeBackend() throws Exception { server.answers = this::answer; }

    List<Map<String, Object>> bodies(String path) {
        List<Map<String, Object>> found = new ArrayList<>();
        for (int i = 0; i < server.bodies.size(); i++) {
            if (server.requests.get(i).startsWith("POST " + path + " ")) found.add(server.bodies.get(i));
        }
        return found;
    }

    private String answer(String path, Map<String, Object> body) {
        String other = answers.apply(path);
        if (other != null) return other;
        switch (path) {
            case "/challenges": return "201 " + Json.write(Json.of("challenge", Bytes.nonce(), "expiresAt", "2099-01-01T00:00:00Z"));
            case "/enrolments": return "200 {\"outcome\":\"accept\"}";
            case "/tokens":
                return "201 " + Json.write(Json.of("token", "t" + Bytes.nonce(), "expiresIn", 60L, "configuration", configuration));
            case "/secrets": return "200 " + Json.write(Json.of("secrets", sealed(body), "expiresIn", life));
            default: return "200 {}";
        }
    }

    private String sealed(Map<String, Object> request) {
        try {
            Map<String, Object> values = new LinkedHashMap<>(secrets);
            values.keySet().retainAll((List<?>) request.get("names"));
            return seal(Json.write(content.apply(Json.of("secrets", values, "challenge", request.get("challenge"), "app", "shop-android",
                "iat", 1000L, "exp", 1000L + life))), request.get("jwk"), "assay-secrets");
        } catch (Exception error) {
            throw new AssertionError(error);
        }
    }

    /** As the service seals: ECDH-ES and A256GCM. */
    static String seal(String text, Object jwk, String type) throws Exception {
        KeyPair pair = Attester.pair();
        String header = Bytes.base64url(Bytes.utf8(Json.write(Json.of("alg", "ECDH-ES", "enc", "A256GCM", "epk",
            Tokens.jwk(pair.getPublic()), "typ", type))));
        KeyAgreement agreement = KeyAgreement.getInstance("ECDH");
        agreement.init(pair.getPrivate());
        agreement.doPhase(Jose.key(jwk), true);
        byte[] shared = agreement.generateSecret();
        ByteBuffer input = ByteBuffer.allocate(4 + shared.length + 4 + 7 + 12);
        input.putInt(1).put(shared).putInt(7).put(Bytes.utf8("A256GCM")).putInt(0).putInt(0).putInt(256);
        byte[] nonce = Bytes.random(12);
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(MessageDigest.getInstance("SHA-256").digest(input.array()), "AES"),
            new GCMParameterSpec(128, nonce));
        cipher.updateAAD(Bytes.utf8(header));
        byte[] sealed = cipher.doFinal(Bytes.utf8(text));
        byte[] tag = java.util.Arrays.copyOfRange(sealed, sealed.length - 16, sealed.length);
        return header + ".." + Bytes.base64url(nonce) + "." + Bytes.base64url(java.util.Arrays.copyOf(sealed, sealed.length - 16)) + "."
            + Bytes.base64url(tag);
    }

    AssayClient.Builder builder() throws Exception {
        StubKeystore.SHARED.reset();
        return AssayClient.builder("shop-android", server.url(""), new dev.assay.client.android.AndroidKeystore(), Storage.memory())
            .versions("5.1.0", "16", "1");
    }

    @Override public void close() { server.close(); }
}
