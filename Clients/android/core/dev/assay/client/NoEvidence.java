package dev.assay.client;

import java.util.LinkedHashMap;
import java.util.Map;

/** What a device without evidence sends in its place; the server's policy decides what that is worth. */
final class NoEvidence {
    private NoEvidence() {}

    /** The field {@code Assay-Evidence}, an item of structured fields (RFC 9651). */
    static Map<String, String> fields(String reason, String code, String appVersion, String systemVersion) {
        StringBuilder item = new StringBuilder("none;reason=").append(reason);
        if (code != null) item.append(";code=").append(quoted(code(code)));
        if (printable(appVersion) != null) item.append(";app-version=").append(quoted(printable(appVersion)));
        if (printable(systemVersion) != null) item.append(";system-version=").append(quoted(printable(systemVersion)));
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("Assay-Evidence", item.toString());
        return fields;
    }

    private static String code(String code) {
        String text = code.replaceAll("[^A-Za-z0-9:._-]", "_");
        return text.isEmpty() ? "_" : text.substring(0, Math.min(64, text.length()));
    }

    /** 1 to 64 printable ASCII characters, or null. */
    private static String printable(String version) {
        if (version == null || version.isEmpty()) return null;
        String text = version.replaceAll("[^ -~]", "_");
        return text.substring(0, Math.min(64, text.length()));
    }

    private static String quoted(String text) { return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\""; }
}
