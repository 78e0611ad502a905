import AppAttest
import AssayCore

/// Authenticator data alone, taken from an attestation or an assertion.
enum AuthenticatorDataFormat: BlobFormat {
    static let name = "App Attest authenticator data"

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard bytes.count >= 37, bytes.count <= InputLimits.assertion else { return nil }
        if bytes.count >= 46, bytes[37...].starts(with: "appattest".utf8) {
            return Recognition(.certain, because: "an AAGUID of App Attest stands at byte 37")
        }
        // In assertions, only the flags and the extensions identify authenticator data.
        guard bytes[32] == 0x40 || bytes[32] == 0xC0 else { return nil }
        if bytes.count == 37, bytes[33] == 0 {
            return Recognition(
                .guess, because: "it has the 37 bytes of an assertion's authenticator data, with flags 0x40 or 0xC0")
        }
        let (node, end) = LenientCBOR.read(bytes[37...])
        guard case .map(let members) = node.content, end == bytes.count, !members.isEmpty else { return nil }
        let names = members.compactMap { member -> String? in
            guard case .text(let text, _) = member.key.content else { return nil }
            return text
        }
        if names.contains(where: { $0.utf8.starts(with: "apple_".utf8) }) {
            return Recognition(.certain, because: "extensions of Apple's stand at byte 37")
        }
        // Names of extensions are texts. Of other binary data, such as RSA keys, one in a thousand has bytes there that begin a map.
        guard names.count == members.count, names.allSatisfy({ $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } })
        else { return nil }
        return Recognition(.structure, because: "flags stand at byte 32, and a CBOR map from byte 37 to the end")
    }

    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        let annotations = AuthenticatorDataAnnotator.annotations(bytes, in: 0..<bytes.count, of: .unknown)
        return BlobContents(annotations, unknown: [Unknowable.appID, Unknowable.enrolment])
    }

    static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) {
        let isAssertion = bytes.count == 37 || (bytes.count > 37 && bytes[37] >> 5 == 5)
        _ = try isAssertion ? AuthenticatorData(assertion: bytes[...]) : AuthenticatorData(attestation: bytes[...])
    }
}

/// Facts that App Attest's blobs do not contain.
enum Unknowable {
    static let appID =
        "the App ID: rpIdHash is only its digest; compare it with `printf %s TEAMID.BUNDLEID | sha256sum`"
    static let enrolment = "whether the key is enrolled, and its counter: the ledger knows"
    static let chain = "whether the certificates lead to Apple's root and the signatures hold: `assay verify` checks it"
    static let challenge = "which challenge it was made for: the nonce is only a digest over it"
}
