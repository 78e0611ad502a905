package dev.assay.client;

import dev.assay.client.AssayClientException.Code;
import dev.assay.client.android.AndroidKeystore;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** Runtime secrets of `assay serve`. */
final class SecretServiceTests {
    private SecretServiceTests() {}

    static void run(AssayService service) throws Exception {
        service.addSecret("maps", "canary-7Hq2");
        service.addSecret("sealing", null);
        AtomicLong skew = new AtomicLong();
        try (AssayClient client = AssayClient.builder("shop-tokens", service.url(""), new AndroidKeystore(), Storage.memory())
            .secrets(Substitution.query("key", "maps", "127.0.0.1")).build(ShiftedScheduler.by(skew))) {
            // A server reads the store again within a second.
            for (AssayService.Deadline deadline = new AssayService.Deadline("the secrets");; deadline.pause()) {
                try {
                    client.secrets("maps", "sealing");
                    break;
                } catch (AssayClientException notYet) {
                    Check.equal(Code.UNKNOWN_SECRET, notYet.code(), "before the service has read them: " + notYet.getMessage());
                    client.networkIsBack();
                }
            }
            Map<String, String> values = client.secrets("sealing", "maps");
            Check.equal("canary-7Hq2", values.get("maps"), "the value");
            Check.that(values.get("sealing").matches("[A-Za-z0-9_-]{43}"), "a value of this device");
            int asked = ServiceTests.count("/secrets");
            skew.addAndGet(2 * 3600_000);
            Check.equal(values, client.secrets("sealing", "maps"), "which stays the same");
            Check.that(asked < ServiceTests.count("/secrets"), "when it is fetched again");
            Check.equal(service.url("/?key=canary-7Hq2"), client.substituted(service.url("/"), Map.of()).url(), "in its place");
            Check.error(Code.UNKNOWN_SECRET, () -> client.secrets("absent"), "one without a value");
            Check.error(Code.UNKNOWN_SECRET, () -> client.secrets("unnamed"), "one that the policy does not name");
            Check.error(Code.INVALID_SECRET_NAME, () -> client.secrets("a b"), "no name");
        }
        try (AssayClient client = ServiceTests.builder(Storage.memory()).build()) {
            Check.error(Code.SECRETS_DISABLED, () -> client.secrets("maps"), "an app without secrets");
        }
    }
}
