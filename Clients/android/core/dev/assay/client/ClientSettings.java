package dev.assay.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.List;

/** What a client was made with. */
final class ClientSettings {
    String app;
    String challengesUrl;
    String enrolmentsUrl;
    String tokensUrl;
    String secretsUrl;
    String keyPrefix;
    KeyPlatform keys;
    IntegrityPlatform integrity;
    Storage storage;
    HttpTransport transport;
    String configuration;
    Storage configurationStorage;
    boolean appliesAtOnce = true;
    Substitution[] substitutions = {};
    Backend.SessionFields session = java.util.Collections::emptyMap;
    ClientListener listener = (event, detail, remedy) -> {};
    String appVersion = "";
    String systemVersion = "";
    String installation = "1";
    String process = processName();
    String unsupported;
    String label = "assay";
    List<String> audiences = Collections.emptyList();
    boolean freshChallenges;
    int keysADay = 3;
    long timeoutMillis = 60_000;

    /** The alias of the key of proofs: of another prefix than attested keys, which are deleted when no record knows them. */
    String proofKey() { return "assay-dpop" + keyPrefix; }

    /** Android's name of this process, which is the same after a restart. */
    private static String processName() {
        try {
            String line = new String(Files.readAllBytes(Paths.get("/proc/self/cmdline")), Bytes.UTF_8);
            if (line.indexOf('\0') > 0) return line.substring(0, line.indexOf('\0'));
        } catch (IOException | RuntimeException unreadable) {
            // A random name makes this process wait for the work of the one before.
        }
        return "p" + Bytes.nonce();
    }
}
