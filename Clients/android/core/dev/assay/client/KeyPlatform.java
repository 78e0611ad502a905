package dev.assay.client;

import java.security.PublicKey;
import java.util.List;

/** The device's keystore. The kit calls it on threads of its own, for one key one call at a time; calls may take seconds. */
public interface KeyPlatform {
    /** Makes a key on P-256 that signs with SHA-256, attested over the challenge. */
    void makeAttestedKey(String alias, byte[] challenge) throws PlatformException;

    /** Makes a key on P-256 that signs with SHA-256, without an attestation, for the proofs of tokens. */
    void makeKey(String alias) throws PlatformException;

    /** The certificates of the key's attestation in DER, that of the key first. */
    List<byte[]> certificates(String alias) throws PlatformException;

    /** The public key; {@code KEY_GONE} if there is none under this alias. Never makes a key. */
    PublicKey publicKey(String alias) throws PlatformException;

    /** The signature as the platform writes it: DER for ECDSA with SHA-256, RSASSA-PKCS1-v1_5 with SHA-256 for RSA. */
    byte[] sign(String alias, byte[] data) throws PlatformException;

    /** Deletes the key, if there is one. */
    void delete(String alias) throws PlatformException;

    /** The aliases that begin so. */
    List<String> aliases(String prefix) throws PlatformException;
}
