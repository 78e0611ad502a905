package dev.assay.client;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Two processes of an app that share a storage, in a world where everything can fail: threads run in any order, the network is lost,
 * the server restarts, clocks are set, keys vanish, the storage is full, a process ends. Each request ends with a verdict or an error,
 * and the limits of Apple, Google and the server hold. ASSAY_WALK is the number of steps, ASSAY_SEED the first seed.
 */
public final class DriverTests {
    private DriverTests() {}

    public static void main(String[] arguments) throws Exception {
        long steps = Long.parseLong(System.getenv().getOrDefault("ASSAY_WALK", "30000"));
        long seed = Long.parseLong(System.getenv().getOrDefault("ASSAY_SEED", "" + System.nanoTime() % 1_000_000));
        System.out.println("walks of the driver, from seed " + seed);
        Path folder = Files.createTempDirectory("assay-walk");
        World.Totals totals = new World.Totals();
        for (long walk = seed; totals.steps < steps; walk++) {
            try {
                new World(walk, walk % 4 == 0 ? folder.resolve("state" + walk + ".json") : null, totals).walk(400);
            } catch (AssertionError | Exception error) {
                throw new AssertionError("seed " + walk + ": ASSAY_SEED=" + walk + " shows it again", error);
            }
        }
        Check.that(totals.judged > 0 && totals.failed > 0 && totals.keys > 0 && totals.tokens > 0, "all of it has happened: " + totals);
        Check.done("walks with " + totals);
    }
}
