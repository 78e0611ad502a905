package dev.assay.client;

import java.security.interfaces.ECPublicKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A signed configuration of the app: the pins of hosts, and the keys that may sign the next one. Pure: time and names are arguments. The
 * kits of all platforms read it alike, and TestVectors/configuration says how.
 */
final class SignedConfiguration {
    private static final String TYPE = "assay-configuration+jwt";
    private static final int MAXIMUM = 1 << 20;
    private static final long MAXIMUM_INTEGER = (1L << 53) - 1;
    /** How long an operator's mode for a device may last, in seconds. */
    private static final long MAXIMUM_MODE = 24 * 3600;
    private static final List<String> MODES = Arrays.asList("unpin", "block", "blockAll");

    /** Why a configuration is not taken, in a word for telemetry. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1;

        Refused(String why) { super(why); }
    }

    /** Whether a connection may be used. */
    enum Verdict { ALLOWED, REFUSED, UNPINNED }

    /** A pin, and the seconds since 1970 from and to which it counts. */
    private static final class Pin {
        final String digest;
        final long from;
        final long to;

        Pin(Object value) throws Refused {
            Map<String, Object> members = Json.object(value);
            Object text = members == null ? null : members.get("pin");
            if (!(text instanceof String) || !((String) text).matches("[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=")) throw new Refused("pins");
            digest = (String) text;
            from = integer(members, "notBefore", 0, 0);
            to = integer(members, "notAfter", 0, MAXIMUM_INTEGER);
        }

        boolean counts(long seconds, long latest) { return from <= seconds && latest <= to; }
    }

    final String text;
    private final String kid;
    final String issuer;
    final String audience;
    final long version;
    final long force;
    private final String mode;
    private final String device;
    private final long ends;
    private final Map<String, List<Pin>> pins = new LinkedHashMap<>();
    private final Map<String, ECPublicKey> keys = new LinkedHashMap<>();

    private SignedConfiguration(String text, Map<String, Object> header, Map<String, Object> claims) throws Refused {
        this.text = text;
        kid = text(header, "kid", true);
        issuer = text(claims, "iss", true);
        audience = text(claims, "aud", true);
        version = integer(claims, "version", 1, -1);
        force = integer(claims, "force", 0, -1);
        if (force > version) throw new Refused("force");
        mode = text(claims, "mode", false);
        device = text(claims, "did", mode != null);
        long issued = integer(claims, "iat", 0, -1);
        ends = integer(claims, "exp", 0, mode == null ? 0 : -1);
        if (mode != null && !MODES.contains(mode)) throw new Refused("mode");
        if (mode != null && ends > issued + MAXIMUM_MODE) throw new Refused("exp");
        Map<String, Object> hosts = Json.object(claims.get("pins"));
        if (hosts == null) throw new Refused("pins");
        for (Map.Entry<String, Object> host : hosts.entrySet()) {
            List<Pin> list = new ArrayList<>();
            for (Object pin : list(host.getValue(), "pins")) list.add(new Pin(pin));
            pins.put(host.getKey(), list);
        }
        for (Object jwk : list(claims.get("keys"), "keys")) {
            ECPublicKey key = Jose.key(jwk);
            if (key == null) throw new Refused("keys");
            keys.put(text(Json.object(jwk), "kid", true), key);
        }
        if (keys.isEmpty()) throw new Refused("keys");
    }

    private static String text(Map<String, Object> object, String name, boolean isNeeded) throws Refused {
        Object value = object.get(name);
        if (value instanceof String ? ((String) value).isEmpty() : isNeeded || object.containsKey(name)) throw new Refused(name);
        return (String) value;
    }

    /** @param otherwise the value if there is none, or -1 if there must be one */
    private static long integer(Map<String, Object> object, String name, long minimum, long otherwise) throws Refused {
        if (!object.containsKey(name) && otherwise >= 0) return otherwise;
        Object value = object.get(name);
        if (!(value instanceof Long) || (Long) value < minimum || (Long) value > MAXIMUM_INTEGER) throw new Refused(name);
        return (Long) value;
    }

    private static List<?> list(Object value, String name) throws Refused {
        if (!(value instanceof List)) throw new Refused(name);
        return (List<?>) value;
    }

    /** Reads a configuration that the app trusts already: the embedded one, or one that it has stored. */
    static SignedConfiguration trusted(String text) throws Refused {
        String[] parts = text.length() > MAXIMUM ? new String[0] : text.split("\\.", -1);
        Map<String, Object> header = parts.length == 3 ? Jose.object(parts[0]) : null;
        Map<String, Object> claims = parts.length == 3 ? Jose.object(parts[1]) : null;
        if (header == null || claims == null) throw new Refused("form");
        boolean isOurs = TYPE.equals(header.get("typ")) && "ES256".equals(header.get("alg")) && !header.containsKey("crit");
        if (!isOurs) throw new Refused("header");
        return new SignedConfiguration(text, header, claims);
    }

    /**
     * What follows from another one that comes while this is in use: that, or this one itself.
     *
     * @param devices what this device is called in configurations for it alone
     * @throws Refused if the other one is not to be believed, or older
     */
    SignedConfiguration successor(String text, Collection<String> devices) throws Refused {
        SignedConfiguration other = trusted(text);
        ECPublicKey key = keys.get(other.kid);
        if (key == null) throw new Refused("kid");
        int end = text.lastIndexOf('.');
        if (!Jose.verify(key, text.substring(0, end), Jose.decode(text.substring(end + 1)))) throw new Refused("signature");
        if (!other.isOf(this)) throw new Refused("service");
        if (other.version < version) throw new Refused("version");
        if (other.mode != null && !devices.contains(other.device)) throw new Refused("did");
        boolean isSame = other.version == version
            && (other.mode == null ? mode == null : other.mode.equals(mode) && other.ends == ends);
        return isSame ? this : other;
    }

    /** Whether both are of one service and app. */
    boolean isOf(SignedConfiguration other) { return issuer.equals(other.issuer) && audience.equals(other.audience); }

    /** The operator's mode for this device, or {@code pin}. {@code latest} is as for {@link #verdict}. */
    String mode(long latest) { return mode != null && latest < ends ? mode : "pin"; }

    /**
     * Judges a connection. {@code digests} are base64 of SHA-256 of the public keys of its certificates: none before there is one.
     *
     * @param backends the hosts of the app's backend
     * @param seconds the time with which beginnings are compared
     * @param latest the time with which ends are compared, at least {@code seconds}
     */
    Verdict verdict(String name, Collection<String> backends, Collection<String> digests, long seconds, long latest) {
        String mode = mode(latest);
        if (mode.equals("blockAll") && backends.contains(host(name))) return Verdict.REFUSED;
        if (mode.equals("unpin") || pins(name).isEmpty()) return Verdict.UNPINNED;
        if (!mode.equals("pin")) return Verdict.REFUSED;
        for (Pin pin : pins(name)) {
            if (pin.counts(seconds, latest) && digests.contains(pin.digest)) return Verdict.ALLOWED;
        }
        return Verdict.REFUSED;
    }

    private List<Pin> pins(String name) {
        List<Pin> own = pins.get(host(name));
        if (own == null) own = pins.get("*");
        return own == null ? Collections.emptyList() : own;
    }

    /** Whether a host has pins, also outside of their windows. */
    boolean hasPins(String name) { return !pins(name).isEmpty(); }

    /** The pins that count at these times, by host; {@code *} stands for all others, an empty list for a host without pins. */
    Map<String, List<String>> pins(long seconds, long latest) {
        Map<String, List<String>> result = new LinkedHashMap<>();
        pins.forEach((host, list) -> {
            List<String> digests = new ArrayList<>();
            for (Pin pin : list) if (pin.counts(seconds, latest)) digests.add(pin.digest);
            // Such a host is pinned all the same, to a key that no server has.
            if (digests.isEmpty() && !list.isEmpty()) digests.add(Bytes.base64(new byte[32]));
            result.put(host, digests);
        });
        return result;
    }

    /** As pins name it: in lower case, without the dot of the root and the brackets of an address. */
    static String host(String name) { return name.toLowerCase(Locale.ROOT).replaceAll("\\.$|[\\[\\]]", ""); }
}
