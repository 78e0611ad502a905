internal import Crypto

/// An ECDSA public key on P-256 or P-384 (FIPS 186-5), parsed and checked to be on its curve. Verifies with
/// swift-crypto, which is faster than OpenSSL 3 and scales with cores.
package struct ECDSAPublicKey: Sendable, Hashable {
    /// A named curve.
    package enum Curve: Sendable, Hashable, CaseIterable {
        /// NIST P-256, also secp256r1 and prime256v1.
        case p256
        /// NIST P-384, also secp384r1.
        case p384

        /// The length of an uncompressed point in bytes.
        package var pointLength: Int {
            switch self {
            case .p256: 65
            case .p384: 97
            }
        }

        /// The DER of a SubjectPublicKeyInfo before the point: id-ecPublicKey, named curve (RFC 5480 section 2.1.1).
        var subjectPublicKeyInfoPrefix: [UInt8] {
            switch self {
            case .p256:
                [
                    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A,
                    0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
                ]
            case .p384:
                [
                    0x30, 0x76, 0x30, 0x10, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x05, 0x2B,
                    0x81, 0x04, 0x00, 0x22, 0x03, 0x62, 0x00,
                ]
            }
        }
    }

    /// The hash algorithm of a signature.
    package enum SignatureDigest: Sendable, Hashable {
        case sha256
        /// SHA-384.
        case sha384
    }

    private enum Key: Sendable {
        case p256(P256.Signing.PublicKey)
        case p384(P384.Signing.PublicKey)
    }

    package let curve: Curve
    /// The uncompressed point, `04 || X || Y` (ANSI X9.63 section 4.3.6).
    package let x963Representation: [UInt8]
    private let key: Key

    /// Reads an uncompressed point.
    /// - Throws: ``DecodeError`` for another form or length, or for a point not on the curve.
    package init(x963 point: some Collection<UInt8>, curve: Curve) throws(DecodeError) {
        try self.init(point: Array(point), curve: curve, offset: 0)
    }

    private init(point: [UInt8], curve: Curve, offset: Int) throws(DecodeError) {
        guard point.count == curve.pointLength else {
            throw DecodeError(
                .unexpectedLength, at: offset,
                "an uncompressed \(curve) point has \(curve.pointLength) bytes, found \(point.count)")
        }
        guard point.first == 0x04 else {
            throw DecodeError(.unexpectedValue, at: offset, "an uncompressed point begins with 04")
        }
        do {
            switch curve {
            case .p256: key = .p256(try P256.Signing.PublicKey(x963Representation: point))
            case .p384: key = .p384(try P384.Signing.PublicKey(x963Representation: point))
            }
        } catch {
            throw DecodeError(.unexpectedValue, at: offset, "the point is not on \(curve)")
        }
        self.curve = curve
        x963Representation = point
    }

    /// Reads a DER SubjectPublicKeyInfo: id-ecPublicKey, the named curve P-256 or P-384, an uncompressed point. DER
    /// gives such a structure one encoding, so the reader compares its prefix.
    /// - Throws: ``DecodeError`` for all other input, including other key types.
    package init(subjectPublicKeyInfo info: ArraySlice<UInt8>) throws(DecodeError) {
        for curve in Curve.allCases {
            let prefix = curve.subjectPublicKeyInfoPrefix
            guard info.prefix(prefix.count).isByteEqual(to: prefix) else { continue }
            let point = info.dropFirst(prefix.count)
            try self.init(point: Array(point), curve: curve, offset: point.startIndex)
            return
        }
        throw DecodeError(
            .unexpectedValue, at: info.startIndex, "not the SubjectPublicKeyInfo of an uncompressed P-256 or P-384 key")
    }

    /// The DER SubjectPublicKeyInfo.
    package var subjectPublicKeyInfo: [UInt8] {
        curve.subjectPublicKeyInfoPrefix + x963Representation
    }

    /// Whether a DER ECDSA-Sig-Value (RFC 3279 section 2.2.3) is this key's signature over an unhashed message. Other
    /// encodings are invalid. Accepts both low and high `s`: genuine devices produce either.
    package func isValidSignature(
        der: ArraySlice<UInt8>, for message: ArraySlice<UInt8>, digest: SignatureDigest
    ) -> Bool {
        switch digest {
        case .sha256: recallSignature(der: der, for: SHA256Value(of: message))
        case .sha384: recallSignature(der: der, for: SHA384.hash(data: message))
        }
    }

    /// Whether a DER ECDSA-Sig-Value is this key's signature over a message, by the same rules.
    package func isValidSignature(der: ArraySlice<UInt8>, for message: [UInt8], digest: SignatureDigest) -> Bool {
        isValidSignature(der: der, for: message[...], digest: digest)
    }

    /// Whether `r || s` (IEEE P1363; RFC 7518 section 3.4), 64 bytes for P-256 and 96 for P-384, is this key's
    /// signature over an unhashed message. Other lengths are invalid. Accepts both low and high `s`.
    package func isValidSignature(
        p1363 signature: [UInt8], for message: ArraySlice<UInt8>, digest: SignatureDigest
    ) -> Bool {
        guard signature.count == curve.pointLength - 1 else { return false }
        return switch digest {
        case .sha256: recallSignature(p1363: signature, for: SHA256Value(of: message))
        case .sha384: recallSignature(p1363: signature, for: SHA384.hash(data: message))
        }
    }

    private func recallSignature(p1363 signature: [UInt8], for digest: some Crypto.Digest) -> Bool {
        SignatureMemo.recall(
            .ecdsaP1363, key: x963Representation, digest: { Array(digest) }, signature: signature[...],
            orElse: { isValidSignature(p1363: signature, for: digest) })
    }

    private func isValidSignature(p1363 signature: [UInt8], for digest: some Crypto.Digest) -> Bool {
        switch key {
        case .p256(let key):
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: digest)
        case .p384(let key):
            guard let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: digest)
        }
    }

    private func recallSignature(der: ArraySlice<UInt8>, for digest: some Crypto.Digest) -> Bool {
        SignatureMemo.recall(
            .ecdsaDER, key: x963Representation, digest: { Array(digest) }, signature: der,
            orElse: { isValidSignature(der: der, for: digest) })
    }

    private func isValidSignature(der: ArraySlice<UInt8>, for digest: some Crypto.Digest) -> Bool {
        switch key {
        case .p256(let key):
            guard let concatenated = SignatureForm.concatenated(der: der, coordinateLength: 32),
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: concatenated)
            else { return false }
            return key.isValidSignature(signature, for: digest)
        case .p384(let key):
            guard let concatenated = SignatureForm.concatenated(der: der, coordinateLength: 48),
                let signature = try? P384.Signing.ECDSASignature(rawRepresentation: concatenated)
            else { return false }
            return key.isValidSignature(signature, for: digest)
        }
    }

    /// Compares curve and point.
    package static func == (left: ECDSAPublicKey, right: ECDSAPublicKey) -> Bool {
        left.curve == right.curve && left.x963Representation == right.x963Representation
    }

    /// Hashes curve and point.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(curve)
        hasher.combine(x963Representation)
    }
}
