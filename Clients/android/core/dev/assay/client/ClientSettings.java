package dev.assay.client;

/** What a client was made with. */
final class ClientSettings {
    String app;
    String challengesUrl;
    String enrolmentsUrl;
    String tokensUrl;
    String keyPrefix;
    KeyPlatform keys;
    IntegrityPlatform integrity;
    Storage storage;
    HttpTransport transport = new UrlConnectionTransport();
    Backend.SessionFields session = java.util.Collections::emptyMap;
    ClientListener listener = (event, detail, remedy) -> {};
    String appVersion = "";
    String systemVersion = "";
    String installation = "1";
    String process = "p" + Bytes.nonce();
    String unsupported;
    String label = "assay";
    String audience;
    boolean freshChallenges;
    int keysADay = 3;
    long timeoutMillis = 60_000;
}
