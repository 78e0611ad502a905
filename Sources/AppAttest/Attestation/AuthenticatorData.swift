package import AssayCore

/// The decoded authenticator data of an attestation or an assertion (Web Authentication Level 2 section 6.1): rpIdHash 32 | flags 1 |
/// signCount 4, big-endian | [attested credential data] | [extensions]. The parts must fill the whole length. The flags say nothing:
/// genuine devices set AT in assertions without credential data, and leave ED clear before extensions.
package struct AuthenticatorData: Sendable {
    /// SHA-256 of the App ID.
    package let rpIDHash: ArraySlice<UInt8>
    package let counter: UInt32
    /// The attested credential data; nil in assertions.
    let credential: AttestedCredential?
    /// The extensions; present since iOS 27 and macOS 27.
    let extensions: AuthenticatorExtensions?

    private static let headLength = 37

    package init(attestation bytes: ArraySlice<UInt8>) throws(DecodeError) {
        let head = try AuthenticatorData.head(bytes)
        (rpIDHash, counter) = (head.rpIDHash, head.counter)
        var rest = head.rest
        credential = try AttestedCredential(&rest)
        extensions = try AuthenticatorExtensions(rest)
    }

    package init(assertion bytes: ArraySlice<UInt8>) throws(DecodeError) {
        let head = try AuthenticatorData.head(bytes)
        (rpIDHash, counter) = (head.rpIDHash, head.counter)
        credential = nil
        extensions = try AuthenticatorExtensions(head.rest)
    }

    private static func head(
        _ bytes: ArraySlice<UInt8>
    ) throws(DecodeError) -> (rpIDHash: ArraySlice<UInt8>, counter: UInt32, rest: ArraySlice<UInt8>) {
        guard bytes.count >= headLength else {
            throw DecodeError(
                .truncated, at: bytes.endIndex, "expected at least \(headLength) bytes, found \(bytes.count)")
        }
        let start = bytes.startIndex
        let counter = bytes[start + 33..<start + headLength].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return (bytes[start..<start + 32], counter, bytes[(start + headLength)...])
    }
}

/// Attested credential data: aaguid 16 | length 2 | credentialId | COSE key, Web Authentication Level 2 section 6.5.1.
package struct AttestedCredential: Sendable {
    /// The environment, as 16 bytes.
    let aaguid: ArraySlice<UInt8>
    /// The key identifier, 32 bytes.
    package let credentialID: ArraySlice<UInt8>
    /// The X9.63 point of the COSE key. Not validated as a point of the curve: a check compares it with the leaf's key.
    let publicKey: [UInt8]

    /// Reads attested credential data from the front of `rest`.
    init(_ rest: inout ArraySlice<UInt8>) throws(DecodeError) {
        let start = rest.startIndex
        guard rest.count >= 18 else {
            throw DecodeError(
                .truncated, at: rest.endIndex, field: "attestedCredentialData",
                "expected a 16-byte AAGUID and a length, found \(rest.count) bytes")
        }
        aaguid = rest[start..<start + 16]
        let length = Int(rest[start + 16]) << 8 | Int(rest[start + 17])
        guard length == 32 else {
            throw DecodeError(
                .unexpectedLength, at: start + 16, field: "credentialId", "expected 32 bytes, found \(length)")
        }
        rest = rest[(start + 18)...]
        guard rest.count >= 32 else {
            throw DecodeError(
                .truncated, at: rest.endIndex, field: "credentialId", "expected 32 bytes, \(rest.count) are left")
        }
        credentialID = rest.prefix(32)
        rest = rest.dropFirst(32)
        do {
            publicKey = try AttestedCredential.readCOSEKey(&rest)
        } catch {
            throw error.within("credentialPublicKey")
        }
    }

    /// Reads the COSE key {1: 2, 3: -7, -1: 1, -2: x, -3: y}: EC2, ES256, P-256 (RFC 9053 section 7.1.1).
    private static func readCOSEKey(_ rest: inout ArraySlice<UInt8>) throws(DecodeError) -> [UInt8] {
        var reader = CBORReader(rest)
        var point: [UInt8] = [0x04]
        let start = rest.startIndex
        guard try reader.readMapHeader() == 5 else {
            throw DecodeError(.unexpectedLength, at: start, "a P-256 key has five parameters")
        }
        // RFC 8949 section 4.2.1 orders the labels 1, 3, -1, -2, -3; every device follows it.
        for (label, value) in [(Int64(1), Int64(2)), (3, -7), (-1, 1)] {
            let offset = reader.offset
            let found = try (reader.readInteger(), reader.readInteger())
            guard found == (label, value) else {
                throw DecodeError(
                    .unexpectedValue, at: offset, "expected \(label): \(value), found \(found.0): \(found.1)")
            }
        }
        for label in [Int64(-2), -3] {
            let offset = reader.offset
            guard try reader.readInteger() == label else {
                throw DecodeError(.unexpectedValue, at: offset, "expected coordinate \(label)")
            }
            let coordinate = try reader.readByteString()
            guard coordinate.count == 32 else {
                throw DecodeError(
                    .unexpectedLength, at: offset, "a coordinate has 32 bytes, found \(coordinate.count)")
            }
            point += coordinate
        }
        rest = rest[reader.offset...]
        return point
    }
}
