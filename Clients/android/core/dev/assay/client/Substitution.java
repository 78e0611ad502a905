package dev.assay.client;

import java.io.UnsupportedEncodingException;
import java.net.URLDecoder;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Where a runtime secret stands in requests to the hosts that may have it. */
public final class Substitution {
    final String secret;
    private final String name;
    /** Of the value of a field; null for a parameter of the query. */
    private final String prefix;
    private final Set<String> hosts = new HashSet<>();

    private Substitution(String name, String prefix, String secret, String[] hosts) {
        this.secret = secret;
        this.name = name;
        this.prefix = prefix;
        for (String host : hosts) this.hosts.add(SignedConfiguration.host(host));
    }

    /**
     * A field with the prefix and the secret. It replaces a field of the same name.
     *
     * @param prefix such as {@code "Bearer "}, or empty
     * @param hosts whole names, such as {@code maps.example.com}, without scheme and port; the secret goes to no other host
     */
    public static Substitution header(String name, String prefix, String secret, String... hosts) {
        return new Substitution(name, prefix, secret, hosts);
    }

    /**
     * A parameter of the query with the secret. It replaces parameters of the same name.
     *
     * @param hosts whole names, such as {@code maps.example.com}, without scheme and port; the secret goes to no other host
     */
    public static Substitution query(String name, String secret, String... hosts) {
        return new Substitution(name, null, secret, hosts);
    }

    boolean concerns(TargetUri target) { return hosts.contains(SignedConfiguration.host(target.host())); }

    /** Writes the value into the fields, or returns the URL with it. */
    String write(String value, String url, Map<String, String> fields) throws AssayClientException {
        if (prefix != null) {
            // HTTP libraries quote values that they refuse.
            boolean isText = value.matches("[ -~]*");
            if (!isText) throw AssayClientException.configuration("The secret " + secret + " has characters that no field may have.");
            fields.keySet().removeIf(name::equalsIgnoreCase);
            fields.put(name, prefix + value);
            return url;
        }
        int query = url.indexOf('?');
        StringBuilder out = new StringBuilder(query < 0 ? url : url.substring(0, query)).append('?');
        for (String parameter : query < 0 ? new String[0] : url.substring(query + 1).split("&")) {
            if (!parameter.isEmpty() && !name.equals(decoded(parameter.split("=", 2)[0]))) out.append(parameter).append('&');
        }
        return out.append(encoded(name)).append('=').append(encoded(value)).toString();
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, "UTF-8");
        } catch (IllegalArgumentException | UnsupportedEncodingException malformed) {
            return text;
        }
    }

    /** All but the unreserved characters of RFC 3986 section 2.3. */
    private static String encoded(String text) {
        StringBuilder out = new StringBuilder();
        for (byte b : Bytes.utf8(text)) {
            String c = String.valueOf((char) (b & 0xff));
            out.append(c.matches("[A-Za-z0-9._~-]") ? c : String.format("%%%02X", b & 0xff));
        }
        return out.toString();
    }
}
