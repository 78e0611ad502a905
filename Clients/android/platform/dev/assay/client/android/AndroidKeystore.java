package dev.assay.client.android;

import android.content.Context;
import android.content.pm.PackageManager;
import android.os.Build;
import android.security.keystore.KeyGenParameterSpec;
import android.security.keystore.KeyProperties;
import dev.assay.client.KeyPlatform;
import dev.assay.client.PlatformException;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.ProviderException;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.spec.ECGenParameterSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Keys on P-256 in Android's keystore, attested by it. */
public final class AndroidKeystore implements KeyPlatform {
    private static final String PROVIDER = "AndroidKeyStore";
    private final boolean hasStrongBox;
    /** Whether StrongBox has failed once, or has not answered yet: keys are then made in the TEE. */
    private volatile boolean strongBoxFailed;

    /** Keys in the TEE. */
    public AndroidKeystore() { hasStrongBox = false; }

    /** Keys in StrongBox where the device has it, else in the TEE. StrongBox is slow, and fails on some devices. */
    public static AndroidKeystore strongBox(Context context) {
        return new AndroidKeystore(Build.VERSION.SDK_INT >= 28
            && context.getPackageManager().hasSystemFeature(PackageManager.FEATURE_STRONGBOX_KEYSTORE));
    }

    private AndroidKeystore(boolean hasStrongBox) { this.hasStrongBox = hasStrongBox; }

    @Override public void makeAttestedKey(String alias, byte[] challenge) throws PlatformException { generate(alias, challenge); }
    @Override public void makeKey(String alias) throws PlatformException { generate(alias, null); }

    private void generate(String alias, byte[] challenge) throws PlatformException {
        boolean tries = hasStrongBox && !strongBoxFailed;
        // Until it has answered: a StrongBox that is busy for minutes gets no second call.
        if (tries) strongBoxFailed = true;
        try {
            generate(alias, challenge, tries);
            if (tries) strongBoxFailed = false;
        } catch (ProviderException | GeneralSecurityException error) {
            if (!tries) throw KeystoreErrors.of(error);
            // Devices throw other errors than the documented StrongBoxUnavailableException.
            delete(alias);
            generate(alias, challenge);
        }
    }

    private static void generate(String alias, byte[] challenge, boolean strongBox) throws GeneralSecurityException {
        KeyGenParameterSpec.Builder spec = new KeyGenParameterSpec.Builder(alias, KeyProperties.PURPOSE_SIGN)
            .setAlgorithmParameterSpec(new ECGenParameterSpec("secp256r1")).setDigests(KeyProperties.DIGEST_SHA256);
        if (challenge != null) spec.setAttestationChallenge(challenge);
        if (strongBox) spec.setIsStrongBoxBacked(true);
        KeyPairGenerator generator = KeyPairGenerator.getInstance(KeyProperties.KEY_ALGORITHM_EC, PROVIDER);
        generator.initialize(spec.build());
        generator.generateKeyPair();
    }

    @Override public List<byte[]> certificates(String alias) throws PlatformException {
        return call(() -> {
            Certificate[] chain = store().getCertificateChain(alias);
            if (chain == null || chain.length == 0) throw missing(alias);
            List<byte[]> certificates = new ArrayList<>();
            for (Certificate certificate : chain) certificates.add(certificate.getEncoded());
            return certificates;
        });
    }

    @Override public PublicKey publicKey(String alias) throws PlatformException {
        return call(() -> {
            Certificate certificate = store().getCertificate(alias);
            if (certificate == null) throw missing(alias);
            return certificate.getPublicKey();
        });
    }

    @Override public byte[] sign(String alias, byte[] data) throws PlatformException {
        return call(() -> {
            Key key = store().getKey(alias, null);
            if (key == null) throw gone();
            Signature signature = Signature.getInstance("EC".equals(key.getAlgorithm()) ? "SHA256withECDSA" : "SHA256withRSA");
            signature.initSign((PrivateKey) key);
            signature.update(data);
            return signature.sign();
        });
    }

    @Override public void delete(String alias) throws PlatformException {
        call(() -> {
            store().deleteEntry(alias);
            return null;
        });
    }

    @Override public List<String> aliases(String prefix) throws PlatformException {
        return call(() -> {
            List<String> aliases = Collections.list(store().aliases());
            aliases.removeIf(alias -> !alias.startsWith(prefix));
            return aliases;
        });
    }

    private interface Work<T> {
        T run() throws GeneralSecurityException, PlatformException;
    }

    private static <T> T call(Work<T> work) throws PlatformException {
        try {
            return work.run();
        } catch (ProviderException | GeneralSecurityException error) {
            throw KeystoreErrors.of(error);
        }
    }

    private static KeyStore store() throws GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(PROVIDER);
        try {
            store.load(null);
        } catch (java.io.IOException error) {
            throw new java.security.KeyStoreException(error);
        }
        return store;
    }

    /** The platform has no certificate after every error of its own: that alone does not say that the key is gone. */
    private static PlatformException missing(String alias) throws GeneralSecurityException {
        if (store().getKey(alias, null) == null) return gone();
        return new PlatformException(PlatformException.Kind.LATER, "keystore:certificate", null);
    }

    private static PlatformException gone() { return new PlatformException(PlatformException.Kind.KEY_GONE, "keystore:6", null); }
}
