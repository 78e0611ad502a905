package dev.assay.client;

import android.security.keystore.KeyGenParameterSpec;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGeneratorSpi;
import java.security.KeyStoreSpi;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.SignatureException;
import java.security.SignatureSpi;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.AlgorithmParameterSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Date;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Android's keystore as a provider of the JVM, with attestations of a test authority, and every failure at will. */
final class StubKeystore extends Provider {
    private static final long serialVersionUID = 1;
    static final StubKeystore SHARED = new StubKeystore();

    /** A key that signs in the keystore alone: other providers cannot use it. */
    static final class OpaqueKey implements PrivateKey {
        private static final long serialVersionUID = 1;
        final transient PrivateKey secret;
        final String alias;

        OpaqueKey(PrivateKey secret, String alias) {
            this.secret = secret;
            this.alias = alias;
        }

        @Override public String getAlgorithm() { return "EC"; }
        @Override public String getFormat() { return null; }
        @Override public byte[] getEncoded() { return null; }
    }

    /** What fails next, by the name of the call. */
    interface Faults {
        void at(String call, KeyGenParameterSpec spec) throws Exception;
    }

    private static final class Entry {
        PrivateKey key;
        Certificate[] chain;
    }

    transient Attester attester;
    transient String packageName = Attester.PACKAGE;
    transient Faults faults = (call, spec) -> {};
    private final transient Map<String, Entry> entries = new LinkedHashMap<>();
    transient boolean hidesCertificates;
    /** The specifications of all keys that were made. */
    final transient List<KeyGenParameterSpec> made = Collections.synchronizedList(new ArrayList<>());

    private StubKeystore() {
        super("AndroidKeyStore", "1", "Android's keystore in software, for tests");
        service("KeyPairGenerator", "EC");
        service("KeyStore", "AndroidKeyStore");
        service("Signature", "SHA256withECDSA");
    }

    private void service(String type, String algorithm) {
        Map<String, String> attributes = type.equals("Signature") ? Map.of("SupportedKeyClasses", OpaqueKey.class.getName()) : Map.of();
        putService(new Service(this, type, algorithm, getClass().getName(), null, attributes) {
            @Override public Object newInstance(Object parameter) {
                return type.equals("KeyPairGenerator") ? new Generator() : type.equals("KeyStore") ? new Store() : new Signing();
            }
        });
    }

    /** Begins anew: no keys, no failures. */
    synchronized void reset() throws Exception {
        if (attester == null) attester = new Attester();
        entries.clear();
        made.clear();
        hidesCertificates = false;
        faults = (call, spec) -> {};
        packageName = Attester.PACKAGE;
    }

    synchronized List<String> aliases() {
        return new ArrayList<>(entries.keySet());
    }

    synchronized void deleteAll() {
        entries.clear();
    }

    private void fail(String call, KeyGenParameterSpec spec) {
        try {
            faults.at(call, spec);
        } catch (RuntimeException error) {
            throw error;
        } catch (Exception error) {
            throw new java.security.ProviderException("Keystore operation failed", error);
        }
    }

    private static final class Generator extends KeyPairGeneratorSpi {
        private KeyGenParameterSpec spec;

        @Override public void initialize(int size, SecureRandom random) { throw new UnsupportedOperationException(); }

        @Override public void initialize(AlgorithmParameterSpec parameters, SecureRandom random) {
            spec = (KeyGenParameterSpec) parameters;
        }

        @Override public KeyPair generateKeyPair() {
            SHARED.fail("generate", spec);
            try {
                KeyPair pair = Attester.pair();
                Entry entry = new Entry();
                entry.key = new OpaqueKey(pair.getPrivate(), spec.alias);
                List<Certificate> chain = new ArrayList<>();
                for (byte[] certificate : SHARED.attester.attest(pair.getPublic(), spec.challenge, SHARED.packageName)) {
                    chain.add(CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(certificate)));
                }
                entry.chain = chain.toArray(new Certificate[0]);
                synchronized (SHARED) {
                    SHARED.entries.put(spec.alias, entry);
                }
                SHARED.made.add(spec);
                return new KeyPair(pair.getPublic(), entry.key);
            } catch (Exception error) {
                throw new java.security.ProviderException(error);
            }
        }
    }

    private static final class Signing extends SignatureSpi {
        private OpaqueKey key;
        private final java.io.ByteArrayOutputStream data = new java.io.ByteArrayOutputStream();

        @Override protected void engineInitVerify(PublicKey key) throws InvalidKeyException { throw new InvalidKeyException(); }

        @Override protected void engineInitSign(PrivateKey key) throws InvalidKeyException {
            if (!(key instanceof OpaqueKey)) throw new InvalidKeyException("not of this keystore");
            try {
                SHARED.faults.at("initSign", null);
            } catch (InvalidKeyException | RuntimeException error) {
                throw error;
            } catch (Exception error) {
                throw new InvalidKeyException("Keystore operation failed", error);
            }
            this.key = (OpaqueKey) key;
        }

        @Override protected void engineUpdate(byte b) { data.write(b); }
        @Override protected void engineUpdate(byte[] bytes, int offset, int length) { data.write(bytes, offset, length); }

        @Override protected byte[] engineSign() throws SignatureException {
            try {
                SHARED.faults.at("sign", null);
                Signature signature = Signature.getInstance("SHA256withECDSA", "SunEC");
                signature.initSign(key.secret);
                signature.update(data.toByteArray());
                return signature.sign();
            } catch (SignatureException | RuntimeException error) {
                throw error;
            } catch (Exception error) {
                throw new SignatureException("Keystore operation failed", error);
            }
        }

        @Override protected boolean engineVerify(byte[] signature) { return false; }

        @Deprecated @Override protected void engineSetParameter(String name, Object value) {
            throw new UnsupportedOperationException();
        }

        @Deprecated @Override protected Object engineGetParameter(String name) { throw new UnsupportedOperationException(); }
    }

    private static final class Store extends KeyStoreSpi {
        private Entry entry(String alias) {
            synchronized (SHARED) {
                return SHARED.entries.get(alias);
            }
        }

        @Override public Key engineGetKey(String alias, char[] password) {
            SHARED.fail("getKey", null);
            Entry entry = entry(alias);
            return entry == null ? null : entry.key;
        }

        @Override public Certificate[] engineGetCertificateChain(String alias) {
            SHARED.fail("chain", null);
            Entry entry = entry(alias);
            return entry == null || SHARED.hidesCertificates ? null : entry.chain;
        }

        @Override public Certificate engineGetCertificate(String alias) {
            Certificate[] chain = engineGetCertificateChain(alias);
            return chain == null ? null : chain[0];
        }

        @Override public void engineDeleteEntry(String alias) {
            SHARED.fail("delete", null);
            synchronized (SHARED) {
                SHARED.entries.remove(alias);
            }
        }

        @Override public Enumeration<String> engineAliases() { return Collections.enumeration(SHARED.aliases()); }
        @Override public boolean engineContainsAlias(String alias) { return entry(alias) != null; }
        @Override public int engineSize() { return SHARED.aliases().size(); }
        @Override public boolean engineIsKeyEntry(String alias) { return entry(alias) != null; }
        @Override public Date engineGetCreationDate(String alias) { return new Date(0); }
        @Override public boolean engineIsCertificateEntry(String alias) { return false; }
        @Override public String engineGetCertificateAlias(Certificate certificate) { return null; }

        @Override public void engineSetKeyEntry(String alias, Key key, char[] password, Certificate[] chain) {
            throw new UnsupportedOperationException();
        }

        @Override public void engineSetKeyEntry(String alias, byte[] key, Certificate[] chain) {
            throw new UnsupportedOperationException();
        }

        @Override public void engineSetCertificateEntry(String alias, Certificate certificate) {
            throw new UnsupportedOperationException();
        }

        @Override public void engineStore(OutputStream stream, char[] password) { throw new UnsupportedOperationException(); }
        @Override public void engineLoad(InputStream stream, char[] password) { SHARED.fail("load", null); }
    }
}
