package dev.assay.client;

import java.util.ArrayList;
import java.util.List;

/** Play Integrity that fails at random. */
final class FakeGoogle implements IntegrityPlatform {
    private final World world;
    private final List<Long> prepared = new ArrayList<>();

    FakeGoogle(World world) { this.world = world; }

    @Override public Object prepare() throws PlatformException {
        prepared.removeIf(time -> world.now - time >= 60_000 || time > world.now);
        prepared.add(world.now);
        Check.that(prepared.size() <= 5 * world.apps.size() * 2, "preparations a minute, of each process");
        fail();
        return "provider " + world.serial++;
    }

    @Override public String request(Object provider, String requestHash) throws PlatformException {
        Check.that(provider != null && requestHash.matches("[A-Za-z0-9_-]{43}"), "a provider, and SHA-256 in base64url");
        fail();
        return "token";
    }

    private void fail() throws PlatformException {
        if (!world.fails(150)) return;
        PlatformException.Kind[] kinds = {PlatformException.Kind.LATER, PlatformException.Kind.PROVIDER_INVALID,
            PlatformException.Kind.NO_PLAY_SERVICES, PlatformException.Kind.FAILED};
        throw new PlatformException(kinds[world.random.nextInt(4)], "play-integrity:-1", null);
    }
}
