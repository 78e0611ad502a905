import AssayTesting
import Foundation
import Testing

@Suite(
    "Classic integrity tokens, ours and those of other implementations",
    .enabled(if: Peer.isDemanded, Comment(rawValue: Peer.hint)), .serialized)
struct ClassicTokenPeerTests {
    private let peer: Peer

    init() throws { peer = try Peer() }

    /// Opens both layers with one implementation, and with ours when none is named.
    private func payload(
        of token: String, _ decryptionKey: [UInt8], _ verificationKey: Peer.Key, with library: Peer.Library?
    ) throws -> [UInt8]? {
        let signed =
            try library.map { try peer.open(jwe: token, "A256KW", .secret(decryptionKey), with: $0) }
            ?? Ours.open(jwe: token, "A256KW", key: decryptionKey)
        guard let signed, let text = String(validating: signed, as: UTF8.self) else { return nil }
        return try library.map { try peer.verify(jws: text, "ES256", verificationKey, with: $0) }
            ?? Ours.verify(jws: text, "ES256", verificationKey)
    }

    private func blueprint(_ payload: [UInt8]) -> (ClassicTokenBlueprint, [UInt8], Peer.Key) {
        let (signingKey, verificationKey) = Samples.signingKey()
        let keys = PlayIntegrityTestKeys(decryptionKey: Samples.bytes(32), signingKey: signingKey)
        var blueprint = ClassicTokenBlueprint(
            keys: keys, packageName: "com.example.peer", nonce: Samples.bytes(24), certificateDigests: [],
            issuedAt: Date())
        blueprint.changePayload = { _ in payload }
        return (blueprint, keys.decryptionKey, verificationKey)
    }

    @Test("tokens that we mint are opened by both implementations and by us, with the same payload")
    func minted() throws {
        for _ in 0..<200 {
            let payload = Samples.payload()
            let (blueprint, decryptionKey, verificationKey) = blueprint(payload)
            let token = try blueprint.mint().token
            for library in [.joserfc, .jwcrypto, nil] as [Peer.Library?] {
                let found = try self.payload(of: token, decryptionKey, verificationKey, with: library)
                #expect(found == payload, "\(library?.rawValue ?? "ours"): \(token)")
            }
        }
    }

    @Test("tokens that other implementations make are opened by us", arguments: Peer.Library.jose)
    func made(library: Peer.Library) throws {
        for _ in 0..<200 {
            let payload = Samples.payload()
            let pair = try peer.makeKey("ES256")
            let decryptionKey = Samples.bytes(32)
            let signed = try peer.makeJWS(payload, "ES256", .pem(pair.private), with: library)
            let token = try peer.makeJWE(Array(signed.utf8), "A256KW", .secret(decryptionKey), with: library)
            let found = try self.payload(of: token, decryptionKey, .pem(pair.public), with: nil)
            #expect(found == payload, "\(token)")
        }
    }

    @Test("tokens with a bit turned in any part of either layer are refused by all three")
    func mutated() throws {
        for _ in 0..<40 {
            let (blueprint, decryptionKey, verificationKey) = blueprint(Samples.payload())
            var tokens = try Samples.mutations(of: blueprint.mint().token)
            #expect(tokens.count == 5)
            for part in 0..<3 {
                var changed = blueprint
                changed.changePlaintext = { signed in
                    let mutations = try? Samples.mutations(of: String(decoding: signed, as: UTF8.self))
                    return mutations.map { Array($0[min(part, $0.count - 1)].utf8) } ?? []
                }
                tokens.append(try changed.mint().token)
            }
            for token in tokens {
                for library in [.joserfc, .jwcrypto, nil] as [Peer.Library?] {
                    let found = try payload(of: token, decryptionKey, verificationKey, with: library)
                    #expect(found == nil, "\(library?.rawValue ?? "ours"): \(token)")
                }
            }
        }
    }

    @Test("tokens under other keys are refused by all three")
    func otherKeys() throws {
        for _ in 0..<20 {
            let (blueprint, decryptionKey, verificationKey) = blueprint(Samples.payload())
            let token = try blueprint.mint().token
            for library in [.joserfc, .jwcrypto, nil] as [Peer.Library?] {
                #expect(try payload(of: token, Samples.bytes(32), verificationKey, with: library) == nil)
                #expect(
                    try payload(of: token, decryptionKey, Samples.signingKey().verification, with: library) == nil)
            }
        }
    }
}
