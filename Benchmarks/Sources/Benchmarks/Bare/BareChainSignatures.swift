import CBareOpenSSL
import Crypto
import Foundation

/// The signature verifications of a chain of certificates and nothing else: swift-crypto verifies those on P-256, OpenSSL those
/// with RSA. Keys and signatures are parsed beforehand.
///
/// One at a time: contenders take turns.
final class BareChainSignatures: @unchecked Sendable {
    /// A signed part, with who signed it.
    struct Link: Sendable {
        let message: [UInt8]
        let signature: [UInt8]
        /// SubjectPublicKeyInfo in DER.
        let key: [UInt8]
    }

    private enum Verification {
        case p256(P256.Signing.PublicKey, P256.Signing.ECDSASignature, Data)
        case rsa(OpaquePointer, context: OpaquePointer, [UInt8], [UInt8])
    }

    private let digest: OpaquePointer
    private let verifications: [Verification]

    /// Prepares the links of a chain, all of which are signed with SHA-256.
    init?(_ links: [Link]) {
        guard let digest = EVP_MD_fetch(nil, "SHA256", nil) else { return nil }
        var verifications: [Verification] = []
        for link in links {
            if let key = try? P256.Signing.PublicKey(derRepresentation: link.key),
                let signature = try? P256.Signing.ECDSASignature(derRepresentation: link.signature)
            {
                verifications.append(.p256(key, signature, Data(link.message)))
                continue
            }
            let parsed = link.key.withUnsafeBufferPointer { buffer in
                var position = buffer.baseAddress
                return d2i_PUBKEY(nil, &position, buffer.count)
            }
            guard let key = parsed, let context = EVP_MD_CTX_new() else { return nil }
            verifications.append(.rsa(key, context: context, link.message, link.signature))
        }
        self.digest = digest
        self.verifications = verifications
    }

    deinit {
        for case .rsa(let key, let context, _, _) in verifications {
            EVP_MD_CTX_free(context)
            EVP_PKEY_free(key)
        }
        EVP_MD_free(digest)
    }

    /// Verifies all signatures.
    func verify() -> Bool { verifications.allSatisfy(verify) }

    /// Verifies the first signature.
    func verifyFirst() -> Bool { verifications.first.map(verify) ?? false }

    private func verify(_ verification: Verification) -> Bool {
        switch verification {
        case .p256(let key, let signature, let message): key.isValidSignature(signature, for: message)
        case .rsa(let key, let context, let message, let signature):
            EVP_DigestVerifyInit(context, nil, digest, nil, key) == 1
                && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
        }
    }
}
