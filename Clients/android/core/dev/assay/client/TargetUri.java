package dev.assay.client;

import java.net.IDN;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;

/**
 * The absolute URL of a request as it goes over the wire, which is what {@code @target-uri} covers: scheme and host in lower case, no
 * default port, {@code /} for an empty path, dot segments resolved, no fragment, and percent-encoding as OkHttp writes it. Escapes that
 * are there already stay as they are.
 */
public final class TargetUri {
    private static final String ENCODED_IN_PATH = " \"<>^`{}|\\";
    private static final String ENCODED_IN_QUERY = " \"'<>";
    private final String scheme;
    private final String authority;
    private final String target;

    private TargetUri(String scheme, String authority, String target) {
        this.scheme = scheme;
        this.authority = authority;
        this.target = target;
    }

    /**
     * Reads an https URL, or an http URL of the device itself.
     *
     * @throws AssayClientException {@code bad-request} for other URLs, user names in URLs, and control characters
     */
    public static TargetUri of(String url) throws AssayClientException {
        for (int i = 0; i < url.length(); i++) {
            if (url.charAt(i) < 0x20 || url.charAt(i) == 0x7f) throw bad("it has a control character: percent-encode it");
        }
        int colon = url.indexOf("://");
        String scheme = colon < 0 ? "" : url.substring(0, colon).toLowerCase(Locale.ROOT);
        if (!scheme.equals("https") && !scheme.equals("http")) throw bad("it does not begin with https:// or http://");
        String rest = url.substring(colon + 3);
        int fragment = rest.indexOf('#');
        if (fragment >= 0) rest = rest.substring(0, fragment);
        int end = 0;
        while (end < rest.length() && "/?\\".indexOf(rest.charAt(end)) < 0) end++;
        String authority = authority(rest.substring(0, end), scheme.equals("https") ? "443" : "80");
        if (scheme.equals("http") && !authority.matches("(localhost|127\\.0\\.0\\.1|\\[::1\\])(:.*)?")) {
            throw bad("anybody on the way could read and change it: use https");
        }
        rest = rest.substring(end);
        int query = rest.indexOf('?');
        String path = query < 0 ? rest : rest.substring(0, query);
        String target = path(path) + (query < 0 ? "" : "?" + encoded(rest.substring(query + 1), ENCODED_IN_QUERY));
        return new TargetUri(scheme, authority, target);
    }

    private static String authority(String text, String defaultPort) throws AssayClientException {
        if (text.indexOf('@') >= 0) throw bad("it has a user name: remove it, and send Authorization instead");
        int colon = text.lastIndexOf(':');
        boolean hasPort = colon > text.lastIndexOf(']');
        String host = hasPort ? text.substring(0, colon) : text;
        String port = hasPort ? text.substring(colon + 1) : defaultPort;
        if (!port.matches("[0-9]{1,5}") || Integer.parseInt(port) < 1 || Integer.parseInt(port) > 65535) {
            throw bad("its port is not a number from 1 to 65535");
        }
        String name;
        try {
            name = host.startsWith("[") ? host.toLowerCase(Locale.ROOT) : IDN.toASCII(host, 0).toLowerCase(Locale.ROOT);
        } catch (IllegalArgumentException error) {
            throw bad("its host is not a name");
        }
        if (!name.matches("[a-z0-9_.-]+|\\[[0-9a-f:.]+\\]")) throw bad("its host is not a name or an address");
        // RFC 5952: texts of one IPv6 address differ, and stacks rewrite them.
        port = Integer.toString(Integer.parseInt(port));
        return port.equals(defaultPort) ? name : name + ":" + port;
    }

    /** RFC 3986 section 5.2.4; a backslash counts as a slash, as in OkHttp and browsers. */
    private static String path(String path) {
        if (path.isEmpty()) return "/";
        Deque<String> segments = new ArrayDeque<>();
        String[] parts = path.substring(1).split("[/\\\\]", -1);
        for (int i = 0; i < parts.length; i++) {
            String plain = parts[i].replaceAll("%2[eE]", ".");
            boolean last = i == parts.length - 1;
            if (plain.equals("..")) {
                // As OkHttp: the parent of a folder's empty name is the folder itself.
                segments.pollLast();
                if (last) segments.addLast("");
            } else if (plain.equals(".")) {
                if (last) segments.addLast("");
            } else {
                segments.addLast(encoded(parts[i], ENCODED_IN_PATH));
            }
        }
        StringBuilder out = new StringBuilder();
        for (String segment : segments) out.append('/').append(segment);
        return out.length() == 0 ? "/" : out.toString();
    }

    private static String encoded(String text, String set) {
        StringBuilder out = new StringBuilder();
        for (byte b : Bytes.utf8(text)) {
            if (b < 0 || set.indexOf(b) >= 0) out.append(String.format("%%%02X", b & 0xff));
            else out.append((char) b);
        }
        return out.toString();
    }

    private static AssayClientException bad(String why) {
        return AssayClientException.badRequest("its URL cannot be signed: " + why);
    }

    /** Scheme, host and port, such as {@code https://api.example.com}. */
    public String origin() {
        return scheme + "://" + authority;
    }

    String host() { return authority.replaceAll(":[0-9]+$", ""); }

    /** The URL without its query, the {@code htu} of a DPoP proof (RFC 9449 section 4.2). */
    String withoutQuery() {
        int query = target.indexOf('?');
        return origin() + (query < 0 ? target : target.substring(0, query));
    }

    /** Whether an audience is this URL or one above it. */
    boolean isBelow(String audience) {
        String base = audience.endsWith("/") ? audience.substring(0, audience.length() - 1) : audience;
        String path = withoutQuery();
        return path.equals(base) || path.startsWith(base + "/");
    }

    @Override public String toString() { return origin() + target; }
}
