package dev.assay.client;

import android.app.Activity;
import android.content.Context;
import android.os.Build;
import android.security.KeyStoreException;
import android.security.keystore.KeyGenParameterSpec;
import android.security.keystore.KeyPermanentlyInvalidatedException;
import android.security.keystore.StrongBoxUnavailableException;
import android.security.keystore.UserNotAuthenticatedException;
import com.google.android.gms.tasks.Task;
import com.google.android.play.core.integrity.IntegrityManagerFactory;
import com.google.android.play.core.integrity.IntegrityServiceException;
import com.google.android.play.core.integrity.IntegrityTokenResponse;
import com.google.android.play.core.integrity.StandardIntegrityException;
import com.google.android.play.core.integrity.StandardIntegrityManager;
import dev.assay.client.PlatformException.Kind;
import dev.assay.client.android.AndroidKeystore;
import dev.assay.client.android.PlayIntegrity;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.ProviderException;
import java.security.Security;
import java.security.Signature;
import java.security.UnrecoverableKeyException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The adapters against the stubs of Android's and Google's classes: each call, each error. */
public final class PlatformTests {
    private PlatformTests() {}

    public static void main(String[] arguments) throws Exception {
        Security.addProvider(StubKeystore.SHARED);
        StubKeystore.SHARED.reset();
        keys();
        Check.done("keys");
        strongBox();
        Check.done("StrongBox");
        errors();
        Check.done("errors of the keystore");
        integrity();
        Check.done("Play Integrity");
    }

    private static void keys() throws Exception {
        AndroidKeystore keystore = new AndroidKeystore();
        byte[] challenge = Bytes.utf8("the challenge");
        keystore.makeAttestedKey("assay-a-1", challenge);
        keystore.makeKey("other");
        KeyGenParameterSpec spec = StubKeystore.SHARED.made.get(0);
        Check.that(Arrays.equals(challenge, spec.challenge), "the challenge is that of the server, as bytes of its characters");
        Check.equal(4, spec.purposes, "the key signs, and does nothing else");
        Check.equal("[SHA-256]", Arrays.toString(spec.digests), "with SHA-256");
        Check.that(!spec.strongBox && StubKeystore.SHARED.made.get(1).challenge == null, "no StrongBox, no second attestation");
        Check.equal(4, keystore.certificates("assay-a-1").size(), "the chain, that of the key first");
        byte[] data = Bytes.utf8("signed");
        Signature verifier = Signature.getInstance("SHA256withECDSA");
        verifier.initVerify(keystore.publicKey("assay-a-1"));
        verifier.update(data);
        Check.that(verifier.verify(keystore.sign("assay-a-1", data)), "a signature by the key");
        Check.equal(List.of("assay-a-1"), keystore.aliases("assay-a-"), "the aliases with the prefix");
        KeyStore store = KeyStore.getInstance("AndroidKeyStore");
        store.load(null);
        Check.that(((PrivateKey) store.getKey("other", null)).getEncoded() == null, "the key does not leave the keystore");
        keystore.delete("assay-a-1");
        keystore.delete("assay-a-1");
        int made = StubKeystore.SHARED.made.size();
        for (Check.Work read : List.<Check.Work>of(() -> keystore.publicKey("assay-a-1"), () -> keystore.certificates("assay-a-1"),
            () -> keystore.sign("assay-a-1", data))) {
            PlatformException gone = Check.fails(PlatformException.class, read, "a key that is no more");
            Check.equal(Kind.KEY_GONE + " keystore:6", gone.kind() + " " + gone.code(), "its class and code");
        }
        Check.equal(made, StubKeystore.SHARED.made.size(), "reading makes no key");
        // Android has no certificate after every error of its own, while the key is there.
        keystore.makeKey("busy");
        StubKeystore.SHARED.hidesCertificates = true;
        for (Check.Work read : List.<Check.Work>of(() -> keystore.publicKey("busy"), () -> keystore.certificates("busy"))) {
            PlatformException later = Check.fails(PlatformException.class, read, "a key whose certificate cannot be read");
            Check.equal(Kind.LATER + " keystore:certificate", later.kind() + " " + later.code(), "is not gone");
        }
        StubKeystore.SHARED.reset();
    }

    private static void strongBox() throws Exception {
        Context context = new Context();
        for (boolean has : new boolean[] {false, true}) {
            StubKeystore.SHARED.reset();
            context.packages.hasStrongBox = has;
            AndroidKeystore.strongBox(context).makeKey("k");
            Check.equal(has, StubKeystore.SHARED.made.get(0).strongBox, "StrongBox where the device has it");
        }
        Build.VERSION.SDK_INT = 27;
        AndroidKeystore.strongBox(context).makeKey("k");
        Check.that(!StubKeystore.SHARED.made.get(1).strongBox, "StrongBox came with API 28");
        Build.VERSION.SDK_INT = 34;
        // Devices throw other errors than the documented one.
        List<ProviderException> thrown = List.of(new StrongBoxUnavailableException("no"),
            new ProviderException("Keystore key generation failed"),
            new ProviderException("busy", new KeyStoreException(10, 2, true, true)));
        for (ProviderException error : thrown) {
            StubKeystore.SHARED.reset();
            int[] tries = {0};
            StubKeystore.SHARED.faults = (call, spec) -> {
                if (!call.equals("generate") || !spec.strongBox) return;
                tries[0]++;
                throw error;
            };
            AndroidKeystore keystore = AndroidKeystore.strongBox(context);
            keystore.makeAttestedKey("k1", new byte[32]);
            keystore.makeAttestedKey("k2", new byte[32]);
            Check.equal(1, tries[0], "StrongBox that has failed is not asked again");
            Check.equal(2, StubKeystore.SHARED.made.size(), "the TEE makes the keys");
        }
    }

    private static void errors() throws Exception {
        Object[][] table = {
            {new KeyStoreException(1, 1, false, false), Kind.BUG, "keystore:1"},
            {new KeyStoreException(2, 1, false, false), Kind.LOCKED, "keystore:2"},
            {new KeyStoreException(3, 1, false, false), Kind.LOCKED, "keystore:3"},
            {new KeyStoreException(4, 2, true, true), Kind.LATER, "keystore:4"},
            {new KeyStoreException(4, 1, false, true), Kind.LATER, "keystore:4"},
            {new KeyStoreException(5, 1, false, false), Kind.BUG, "keystore:5"},
            {new KeyStoreException(6, 1, false, false), Kind.KEY_GONE, "keystore:6"},
            {new KeyStoreException(7, 1, false, false), Kind.KEY_GONE, "keystore:7"},
            {new KeyStoreException(8, 1, false, false), Kind.BUG, "keystore:8"},
            {new KeyStoreException(9, 1, false, false), Kind.BUG, "keystore:9"},
            {new KeyStoreException(10, 1, false, false), Kind.KEY_GONE, "keystore:10"},
            {new KeyStoreException(10, 2, true, false), Kind.LATER, "keystore:10"},
            {new KeyStoreException(11, 1, false, true), Kind.LATER, "keystore:11"},
            {new KeyStoreException(11, 1, false, false), Kind.KEY_GONE, "keystore:11"},
            {new KeyStoreException(12, 1, false, false), Kind.UNSUPPORTED, "keystore:12"},
            {new KeyStoreException(13, 1, false, false), Kind.BUG, "keystore:13"},
            {new KeyStoreException(14, 1, false, false), Kind.KEY_GONE, "keystore:14"},
            {new KeyStoreException(15, 1, false, false), Kind.AGAIN, "keystore:15"},
            {new KeyStoreException(16, 1, false, false), Kind.UNSUPPORTED, "keystore:16"},
            {new KeyStoreException(16, 2, true, true), Kind.LATER, "keystore:16"},
            {new KeyStoreException(16, 3, true, true), Kind.LATER, "keystore:16"},
            {new KeyStoreException(17, 1, false, true), Kind.UNSUPPORTED, "keystore:17"},
            {new KeyStoreException(99, 2, true, true), Kind.LATER, "keystore:99"},
            {new KeyPermanentlyInvalidatedException("x"), Kind.KEY_GONE, "keystore:6"},
            {new UserNotAuthenticatedException("x"), Kind.LOCKED, "keystore:2"},
            {new UnrecoverableKeyException("x"), Kind.LATER, "keystore:ProviderException"},
            {wrapping(new KeyStoreException(4, 2, true, true)), Kind.LATER, "keystore:4"},
            {wrapping(new KeyStoreException(7, 1, false, false)), Kind.KEY_GONE, "keystore:7"},
            {new ProviderException("something"), Kind.LATER, "keystore:ProviderException"}};
        for (Object[] row : table) check((Exception) row[0], row[1] + " " + row[2]);
        // Before API 33, only the text has a code.
        Build.VERSION.SDK_INT = 30;
        check(new KeyStoreException(16, 1, false, false), Kind.LATER + " keystore:-1000");
        Object[][] texts = {{"Failed to generate key pair, code -74", Kind.UNSUPPORTED, "-74"},
            {"internal Keystore code: -10003", Kind.LATER, "-10003"}, {"Invalid key blob", Kind.KEY_GONE, "-33"},
            {"Key not found", Kind.KEY_GONE, "6"}, {"the key assay-33-x of user-100", Kind.LATER, "ProviderException"},
            {"assay_-33", Kind.LATER, "ProviderException"}, {"Key not found, code -10003", Kind.LATER, "-10003"},
            {"-33 INVALID_KEY_BLOB", Kind.KEY_GONE, "-33"}, {"error -26", Kind.LOCKED, "-26"}, {"error -100", Kind.UNSUPPORTED, "-100"}};
        for (Object[] row : texts) check(new ProviderException("Keystore operation failed", new Exception((String) row[0])), row[1]
            + " keystore:" + row[2]);
        Build.VERSION.SDK_INT = 34;
    }

    private static Exception wrapping(Exception cause) {
        Exception error = new UnrecoverableKeyException("Failed to obtain information about key");
        error.initCause(cause);
        return error;
    }

    /** The error by each way that the platform throws it. */
    private static void check(Exception error, String expected) throws Exception {
        AndroidKeystore keystore = new AndroidKeystore();
        StubKeystore.SHARED.reset();
        keystore.makeKey("k");
        List<String> calls = new ArrayList<>(List.of("generate", "chain", "getKey", "initSign", "sign", "delete", "load"));
        for (String failing : calls) {
            StubKeystore.SHARED.faults = (call, spec) -> {
                if (call.equals(failing)) throw error;
            };
            Check.Work work = failing.equals("generate") ? () -> keystore.makeAttestedKey("n", new byte[8])
                : failing.equals("chain") ? () -> keystore.certificates("k")
                : failing.equals("delete") ? () -> keystore.delete("k")
                : failing.equals("load") ? () -> keystore.publicKey("k") : () -> keystore.sign("k", new byte[1]);
            PlatformException found = Check.fails(PlatformException.class, work, failing);
            // The stub wraps what is thrown, as the platform does: the text of the wrapping class then differs.
            String code = found.code().startsWith("keystore:Provider") || found.code().matches("keystore:(Signature|InvalidKey)Exception")
                ? "keystore:ProviderException" : found.code();
            Check.equal(expected, found.kind() + " " + code, failing + " of " + error);
        }
        StubKeystore.SHARED.reset();
    }

    private static <T> Task<T> done(T value) { return new Task<>(value, null, true); }

    private static void integrity() throws Exception {
        int[] error = {0};
        List<String> hashes = new ArrayList<>();
        List<StandardIntegrityManager.StandardIntegrityDialogRequest> dialogs = new ArrayList<>();
        String[] text = {"token"};
        int[] result = {3};
        IntegrityManagerFactory.standard = new StandardIntegrityManager() {
            @Override public Task<StandardIntegrityTokenProvider> prepareIntegrityToken(PrepareIntegrityTokenRequest request) {
                if (error[0] != 0) return new Task<>(null, new StandardIntegrityException(error[0]), true);
                Check.equal(7L, request.cloudProject, "the cloud project");
                return done(token -> {
                    hashes.add(token.requestHash);
                    if (error[0] != 0) return new Task<>(null, new StandardIntegrityException(error[0]), true);
                    return done(new StandardIntegrityToken() {
                        @Override public String token() { return text[0]; }
                    });
                });
            }

            @Override public Task<Integer> showDialog(StandardIntegrityDialogRequest request) {
                dialogs.add(request);
                return done(result[0]);
            }
        };
        IntegrityManagerFactory.classic = request -> {
            if (error[0] != 0) return new Task<>(null, new IntegrityServiceException(error[0]), true);
            return done(new IntegrityTokenResponse() {
                @Override public String token() { return "classic " + request.nonce; }
            });
        };
        PlayIntegrity play = new PlayIntegrity(new Context(), 7);
        Check.equal("classic nonce-of-16-chars", play.classic("nonce-of-16-chars"), "a classic token");
        Check.equal(0, play.showDialog(new Activity(), 4).get(), "no dialog without a token or an error");
        Object provider = play.prepare();
        Check.equal("token", play.request(provider, "hash"), "a standard token");
        Check.equal(List.of("hash"), hashes, "over the hash");
        text[0] = "";
        PlatformException empty = Check.fails(PlatformException.class, () -> play.request(provider, "hash"), "an empty token");
        Check.equal(Kind.PROVIDER_INVALID, empty.kind(), "of a provider that is invalid");
        Kind later = Kind.LATER;
        Kind failed = Kind.FAILED;
        Kind user = Kind.NO_PLAY_SERVICES;
        Object[][] table = {{-1, later}, {-2, user}, {-3, later}, {-4, user}, {-5, failed}, {-6, user}, {-7, failed}, {-8, later},
            {-9, user}, {-10, failed}, {-11, failed}, {-12, later}, {-13, failed}, {-14, user}, {-15, user}, {-16, failed},
            {-17, failed}, {-18, later}, {-19, Kind.PROVIDER_INVALID}, {-100, later}, {-999, failed}};
        for (Object[] row : table) {
            error[0] = (Integer) row[0];
            for (Check.Work work : List.<Check.Work>of(play::prepare, () -> play.request(provider, "h"))) {
                PlatformException found = Check.fails(PlatformException.class, work, "standard " + row[0]);
                Check.equal(row[1] + " play-integrity:" + row[0], found.kind() + " " + found.code(), "the class of the standard error");
            }
            PlatformException classic = Check.fails(PlatformException.class, () -> play.classic("nonce-of-16-chars"), "classic " + row[0]);
            Check.equal(row[0].equals(-17) ? later : row[1], classic.kind(), "the class of the classic error " + row[0]);
        }
        // Play services that are being updated may never answer.
        StandardIntegrityManager answering = IntegrityManagerFactory.standard;
        IntegrityManagerFactory.standard = new StandardIntegrityManager() {
            @Override public Task<StandardIntegrityTokenProvider> prepareIntegrityToken(PrepareIntegrityTokenRequest request) {
                return new Task<>(null, null, false);
            }

            @Override public Task<Integer> showDialog(StandardIntegrityDialogRequest request) {
                return answering.showDialog(request);
            }
        };
        PlayIntegrity silent = new PlayIntegrity(new Context(), 7);
        Thread.currentThread().interrupt();
        PlatformException interrupted = Check.fails(PlatformException.class, silent::prepare, "a call that is interrupted");
        Check.equal(later + " play-integrity:interrupted true", interrupted.kind() + " " + interrupted.code() + " " + Thread.interrupted(),
            "passes on the interruption");
        error[0] = -6;
        Check.fails(PlatformException.class, play::prepare, "no Play services");
        int[] repaired = {0};
        play.onRepaired(() -> repaired[0]++);
        Check.equal(3, play.showDialog(new Activity(), 4).get(), "Google's dialog");
        Check.equal(1, repaired[0], "the kit hears that the user has repaired it");
        result[0] = 2;
        play.showDialog(new Activity(), 4).get();
        Check.equal(1, repaired[0], "and nothing of a dialog that was cancelled");
        Check.equal(4, dialogs.get(0).typeCode, "the type that the server chose");
        Check.equal("ExceptionDetails", dialogs.get(0).response.getClass().getSimpleName(),
            "about the error");
    }
}
