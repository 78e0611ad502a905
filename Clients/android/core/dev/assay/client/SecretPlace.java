package dev.assay.client;

import java.io.UnsupportedEncodingException;
import java.net.URLDecoder;
import java.util.HashSet;
import java.util.Set;

/**
 * Where a runtime secret stands in requests, and the hosts to which it may go. The app writes the secret's name there, and the kit puts
 * the value in its place before it signs the request. To other hosts the name goes as it is.
 */
public final class SecretPlace {
    final String secret;
    /** A field, or a parameter of the query. */
    final String name;
    /** Of the value of a field; null for a parameter. */
    final String prefix;
    private final Set<String> hosts = new HashSet<>();

    private SecretPlace(String secret, String name, String prefix, String[] hosts) {
        this.secret = secret;
        this.name = name;
        this.prefix = prefix;
        for (String host : hosts) this.hosts.add(SignedConfiguration.host(host));
    }

    /**
     * A field whose value is the secret's name, behind a prefix.
     *
     * @param prefix such as {@code "Bearer "}, or empty
     * @param hosts such as {@code maps.example.com}, without scheme and port; a sub-domain is a host of its own
     */
    public static SecretPlace header(String secret, String field, String prefix, String... hosts) {
        return new SecretPlace(secret, field, prefix, hosts);
    }

    /** A parameter of the query whose value is the secret's name. */
    public static SecretPlace query(String secret, String parameter, String... hosts) {
        return new SecretPlace(secret, parameter, null, hosts);
    }

    boolean isFor(TargetUri target) { return hosts.contains(SignedConfiguration.host(target.host())); }

    /** Whether a field has the name of the secret. */
    boolean isField(String field, String value) {
        return prefix != null && name.equalsIgnoreCase(field) && value != null && value.equals(prefix + secret);
    }

    boolean isIn(String url) { return prefix == null && !replaced(url, "").equals(url); }

    /** The URL with a value for each parameter that has the name of the secret. */
    String replaced(String url, String value) {
        int query = url.indexOf('?');
        int end = url.indexOf('#') < 0 ? url.length() : url.indexOf('#');
        if (query < 0 || query > end) return url;
        StringBuilder out = new StringBuilder(url.substring(0, query));
        char separator = '?';
        for (String parameter : url.substring(query + 1, end).split("&", -1)) {
            int equals = parameter.indexOf('=');
            boolean isPlace = equals >= 0 && name.equals(decoded(parameter.substring(0, equals)))
                && secret.equals(decoded(parameter.substring(equals + 1)));
            out.append(separator).append(isPlace ? parameter.substring(0, equals + 1) + encoded(value) : parameter);
            separator = '&';
        }
        return out.append(url.substring(end)).toString();
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), "UTF-8");
        } catch (IllegalArgumentException | UnsupportedEncodingException malformed) {
            return text;
        }
    }

    private static String encoded(String text) {
        StringBuilder out = new StringBuilder();
        for (byte b : Bytes.utf8(text)) {
            char c = (char) (b & 0xff);
            boolean isPlain = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || "-._~".indexOf(c) >= 0;
            out.append(isPlain ? String.valueOf(c) : String.format("%%%02X", (int) c));
        }
        return out.toString();
    }
}
