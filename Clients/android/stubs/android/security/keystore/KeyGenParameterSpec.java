package android.security.keystore;

import java.security.spec.AlgorithmParameterSpec;

public final class KeyGenParameterSpec implements AlgorithmParameterSpec {
    public final String alias;
    public final int purposes;
    public byte[] challenge;
    public boolean strongBox;
    public AlgorithmParameterSpec curve;
    public String[] digests;

    private KeyGenParameterSpec(String alias, int purposes) {
        this.alias = alias;
        this.purposes = purposes;
    }

    public static final class Builder {
        private final KeyGenParameterSpec spec;

        public Builder(String alias, int purposes) {
            spec = new KeyGenParameterSpec(alias, purposes);
        }

        public Builder setAlgorithmParameterSpec(AlgorithmParameterSpec curve) {
            spec.curve = curve;
            return this;
        }

        public Builder setDigests(String... digests) {
            spec.digests = digests;
            return this;
        }

        public Builder setAttestationChallenge(byte[] challenge) {
            spec.challenge = challenge;
            return this;
        }

        public Builder setIsStrongBoxBacked(boolean strongBox) {
            spec.strongBox = strongBox;
            return this;
        }

        public KeyGenParameterSpec build() {
            return spec;
        }
    }
}
