package dev.assay.client;

import java.security.KeyPair;
import java.security.PublicKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A keystore that fails at random. */
final class FakeKeys implements KeyPlatform {
    private final World world;
    final Map<String, KeyPair> pairs = new HashMap<>();
    final Map<String, String> challenges = new HashMap<>();
    final Map<String, String> names = new HashMap<>();
    private final List<Long> made = new ArrayList<>();

    FakeKeys(World world) { this.world = world; }

    private void fail() throws PlatformException {
        if (!world.fails(40)) return;
        PlatformException.Kind[] kinds = {PlatformException.Kind.LATER, PlatformException.Kind.LATER, PlatformException.Kind.LOCKED,
            PlatformException.Kind.AGAIN, PlatformException.Kind.KEY_GONE, PlatformException.Kind.BUG,
                PlatformException.Kind.UNSUPPORTED};
        if (world.fails(100)) throw new IllegalStateException("a keystore that throws something else");
        throw new PlatformException(kinds[world.random.nextInt(kinds.length)], "keystore:10", null);
    }

    @Override public void makeAttestedKey(String alias, byte[] challenge) throws PlatformException {
        fail();
        try {
            KeyPair pair = Attester.pair();
            pairs.put(alias, pair);
            String name = Bytes.base64(Bytes.utf8(alias));
            String text = new String(challenge, Bytes.UTF_8);
            Check.that(world.issued.contains(text), "a challenge of the server");
            Check.equal(null, challenges.put(name, text), "one attestation for a key");
            names.put(Bytes.base64(Bytes.sha256(pair.getPublic().getEncoded())), name);
        } catch (PlatformException | RuntimeException error) {
            throw error;
        } catch (Exception error) {
            throw new AssertionError(error);
        }
        world.totals.keys++;
        made.removeIf(time -> world.now - time >= 24 * 3600_000L);
        made.add(world.now);
        // A clock that is set may make the times of earlier keys impossible, or end the day while a key is being made.
        Check.that(made.size() <= 3 || world.clockWasSet, "three keys a day");
    }

    @Override public void makeKey(String alias) { throw new AssertionError("no tokens here"); }

    @Override public List<byte[]> certificates(String alias) throws PlatformException {
        fail();
        if (!pairs.containsKey(alias)) throw new PlatformException(PlatformException.Kind.KEY_GONE, "keystore:6", null);
        return List.of(Bytes.utf8(alias));
    }

    @Override public PublicKey publicKey(String alias) throws PlatformException {
        if (!pairs.containsKey(alias)) throw new PlatformException(PlatformException.Kind.KEY_GONE, "keystore:6", null);
        return pairs.get(alias).getPublic();
    }

    @Override public byte[] sign(String alias, byte[] data) throws PlatformException {
        fail();
        return Check.bytes(0x30, 6, 2, 1, 1, 2, 1, 1);
    }

    @Override public void delete(String alias) { pairs.remove(alias); }

    @Override public List<String> aliases(String prefix) {
        List<String> aliases = new ArrayList<>(pairs.keySet());
        aliases.removeIf(alias -> !alias.startsWith(prefix));
        return aliases;
    }
}
