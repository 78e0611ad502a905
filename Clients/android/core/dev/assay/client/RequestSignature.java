package dev.assay.client;

import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The fields of a signed request, byte for byte as the server's signature base (RFC 9421) has them. */
final class RequestSignature {
    private final String label;
    private final String method;
    private final String targetUri;
    private final String digest;

    /** @param digest the value of {@code Content-Digest}, or null without a body */
    RequestSignature(String label, String method, TargetUri target, String digest) throws AssayClientException {
        if (!method.matches("[A-Z]{1,32}")) throw AssayClientException.badRequest("its method is not 1 to 32 capital letters");
        this.label = label;
        this.method = method;
        this.targetUri = target.toString();
        this.digest = digest;
    }

    String method() { return method; }

    String targetUri() { return targetUri; }

    private String components() {
        return digest == null ? "(\"@method\" \"@target-uri\")" : "(\"@method\" \"@target-uri\" \"content-digest\")";
    }

    /** @param nonce base64url; a challenge of the server, or random text */
    String keyParameters(long created, String nonce, PublicKey key) throws AssayClientException {
        return components() + ";created=" + created + ";nonce=\"" + nonce + "\";keyid=\"" + Bytes.base64(Bytes.sha256(key.getEncoded()))
            + "\";alg=\"" + algorithm(key) + "\";tag=\"android-key\"";
    }

    String integrityParameters(long created, String nonce) {
        return components() + ";created=" + created + (nonce == null ? "" : ";nonce=\"" + nonce + "\"") + ";tag=\"play-integrity\"";
    }

    byte[] base(String parameters) {
        return Bytes.utf8("\"@method\": " + method + "\n\"@target-uri\": " + targetUri
            + (digest == null ? "" : "\n\"content-digest\": " + digest) + "\n\"@signature-params\": " + parameters);
    }

    /** @param evidence the value of the signature */
    Map<String, String> fields(String parameters, byte[] evidence) {
        Map<String, String> fields = new LinkedHashMap<>();
        if (digest != null) fields.put("Content-Digest", digest);
        fields.put("Signature-Input", label + "=" + parameters);
        fields.put("Signature", label + "=:" + Bytes.base64(evidence) + ":");
        return fields;
    }

    /** The record of a request with these fields and without a body, as the backend passes it on. */
    Map<String, Object> record(String app, Map<String, String> fields) {
        List<Object> headers = new ArrayList<>();
        fields.forEach((name, value) -> headers.add(Arrays.<Object>asList(name, value)));
        return Json.of("kind", "android-key.request", "app", app, "evidence",
            Json.of("method", method, "targetURI", targetUri, "headers", headers));
    }

    /** The ID of the key that has signed the fields; empty if there is none. */
    static String keyId(Map<String, String> fields) {
        String[] parts = String.valueOf(fields.get("Signature-Input")).split(";keyid=\"", 2);
        return parts.length < 2 ? "" : parts[1].substring(0, parts[1].indexOf('"'));
    }

    private static String algorithm(PublicKey key) throws AssayClientException {
        boolean isP256 = key instanceof ECPublicKey && ((ECPublicKey) key).getParams().getCurve().getField().getFieldSize() == 256;
        if (isP256) return "ecdsa-p256-sha256";
        if (key instanceof RSAPublicKey) return "rsa-v1_5-sha256";
        throw new AssayClientException(AssayClientException.Code.KEYSTORE,
            "The keystore has a key that cannot sign requests (" + key.getAlgorithm() + "). Use P-256 or RSA.", null);
    }

    /** The value of the signature for what the keystore returned. */
    static byte[] value(PublicKey key, byte[] signature) throws AssayClientException {
        return key instanceof ECPublicKey ? EcdsaSignature.fixed(signature) : signature;
    }
}
