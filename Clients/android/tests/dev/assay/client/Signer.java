package dev.assay.client;

import java.security.KeyPair;
import java.security.Signature;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Signs configurations, as the service does. */
final class Signer {
    final KeyPair pair = Attester.pair();
    final String kid;

    Signer(String kid) throws Exception { this.kid = kid; }

    Map<String, Object> jwk() {
        Map<String, Object> jwk = new LinkedHashMap<>(Tokens.jwk(pair.getPublic()));
        jwk.put("kid", kid);
        return jwk;
    }

    /** Claims of the version for the hosts and their pins; none is a host that is not pinned. */
    Map<String, Object> claims(long version, Object... hostsAndPins) {
        Map<String, Object> hosts = new LinkedHashMap<>();
        for (int i = 0; i < hostsAndPins.length; i += 2) {
            List<Object> pins = new ArrayList<>();
            for (Object pin : (List<?>) hostsAndPins[i + 1]) pins.add(Json.of("pin", pin));
            hosts.put((String) hostsAndPins[i], pins);
        }
        return Json.of("iss", "https://attest.example.com", "aud", "shop-android", "iat", seconds(), "version", version, "force", 0L,
            "pins", hosts, "keys", new ArrayList<Object>(List.of(jwk())));
    }

    static long seconds() { return System.currentTimeMillis() / 1000; }

    static Map<String, Object> with(Map<String, Object> claims, Object... more) {
        Map<String, Object> all = new LinkedHashMap<>(claims);
        all.putAll(Json.of(more));
        return all;
    }

    String sign(Map<String, Object> claims) throws Exception {
        String header = Json.write(Json.of("typ", "assay-configuration+jwt", "alg", "ES256", "kid", kid));
        String signed = Bytes.base64url(Bytes.utf8(header)) + "." + Bytes.base64url(Bytes.utf8(Json.write(claims)));
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(pair.getPrivate());
        signature.update(Bytes.utf8(signed));
        return signed + "." + Bytes.base64url(EcdsaSignature.fixed(signature.sign()));
    }
}
