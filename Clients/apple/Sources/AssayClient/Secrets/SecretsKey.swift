import Foundation

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

/// The key for which the values of one request are sealed. It lives as long as the request.
struct SecretsKey: Sendable {
    private let key = P256.KeyAgreement.PrivateKey()

    /// What a sealed answer has.
    struct Content: Sendable {
        let values: [String: String]
        /// Seconds; at most a day.
        let life: Int
    }

    private struct Members: Decodable {
        let secrets: [String: String]
        let challenge, app: String
        let iat, exp: Int
    }

    /// The public key.
    var point: PublicPoint { PublicPoint(bytes: key.publicKey.x963Representation) }

    /// Opens a compact JWE with `ECDH-ES` (RFC 7518 section 4.6) and `A256GCM`, and compares what it says of the request.
    ///
    /// - Returns: nil for anything but the values of the names for this challenge and app.
    func open(_ text: String, names: [String], challenge: String, app: String) -> Content? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, parts[1].isEmpty, let head = Data(base64URL: parts[0]),
            let header = try? JSONSerialization.jsonObject(with: head) as? [String: Any],
            header["alg"] as? String == "ECDH-ES", header["enc"] as? String == Self.encryption,
            header["typ"] as? String == "assay-secrets", header["apu"] == nil, header["apv"] == nil,
            header["crit"] == nil, header["zip"] == nil,
            let other = header["epk"] as? [String: String], other["kty"] == "EC", other["crv"] == "P-256",
            let x = Data(base64URL: other["x"] ?? ""), let y = Data(base64URL: other["y"] ?? ""),
            let peer = try? P256.KeyAgreement.PublicKey(x963Representation: [4] + x + y),
            let shared = try? key.sharedSecretFromKeyAgreement(with: peer),
            let nonce = Data(base64URL: parts[2]).flatMap({ try? AES.GCM.Nonce(data: $0) }),
            let sealed = Data(base64URL: parts[3]), let tag = Data(base64URL: parts[4]),
            let box = try? AES.GCM.SealedBox(nonce: nonce, ciphertext: sealed, tag: tag),
            let content = try? AES.GCM.open(box, using: Self.contentKey(shared), authenticating: Data(parts[0].utf8)),
            let members = try? JSONDecoder().decode(Members.self, from: content),
            members.challenge == challenge, members.app.isSame(as: app), Set(members.secrets.keys) == Set(names),
            case let life = members.exp.subtractingReportingOverflow(members.iat), !life.overflow,
            life.partialValue >= 0
        else { return nil }
        return Content(values: members.secrets, life: min(life.partialValue, 24 * 3600))
    }

    private static let encryption = "A256GCM"

    /// One round of Concat KDF (NIST SP 800-56A section 5.8.1), with neither party named.
    private static func contentKey(_ shared: SharedSecret) -> SymmetricKey {
        var hash = SHA256()
        func add(_ number: UInt16) { hash.update(data: Data([0, 0, UInt8(number >> 8), UInt8(number & 0xff)])) }
        add(1)
        shared.withUnsafeBytes { hash.update(bufferPointer: $0) }
        add(UInt16(encryption.utf8.count))
        hash.update(data: Data(encryption.utf8))
        add(0)
        add(0)
        // The length of the key in bits.
        add(256)
        return SymmetricKey(data: hash.finalize())
    }
}
