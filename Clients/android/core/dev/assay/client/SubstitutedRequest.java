package dev.assay.client;

import java.util.Collections;
import java.util.Map;

/** A request with the values of secrets in their places. Send it to this URL alone, follow no redirect with it, and log neither part. */
public final class SubstitutedRequest {
    private final String url;
    private final Map<String, String> fields;

    SubstitutedRequest(String url, Map<String, String> fields) {
        this.url = url;
        this.fields = Collections.unmodifiableMap(fields);
    }

    public String url() { return url; }

    public Map<String, String> fields() { return fields; }
}
