import Approov
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation
import Testing

@Suite(
    "JOSE algorithms, ours and those of other implementations",
    .enabled(if: Peer.isDemanded, Comment(rawValue: Peer.hint)), .serialized)
struct JOSEPeerTests {
    private let peer: Peer

    init() throws { peer = try Peer() }

    /// Demands that all three find the same in a token, nil for that they refuse it.
    private func expect(jwe token: String, _ algorithm: String, _ key: [UInt8], _ plaintext: [UInt8]?) throws {
        #expect(try Ours.open(jwe: token, algorithm, key: key) == plaintext, "ours: \(token)")
        // jwcrypto takes an empty plaintext for a decryption that failed.
        for library in Peer.Library.jose where library != .jwcrypto || plaintext != [] {
            let found = try peer.open(jwe: token, algorithm, .secret(key), with: library)
            #expect(found == plaintext, "\(library): \(token)")
        }
    }

    private func expect(jws token: String, _ algorithm: String, _ key: Peer.Key, _ payload: [UInt8]?) throws {
        #expect(try Ours.verify(jws: token, algorithm, key) == payload, "ours: \(token)")
        for library in Peer.Library.jose {
            #expect(try peer.verify(jws: token, algorithm, key, with: library) == payload, "\(library): \(token)")
        }
    }

    @Test(
        "A256KW and A256GCMKW: what any of the three encrypts, all three decrypt", arguments: ["A256KW", "A256GCMKW"])
    func encryption(algorithm: String) throws {
        for round in 0..<100 {
            let (key, plaintext) = (Samples.bytes(32), Samples.payload())
            let ours = JWEBlueprint(
                plaintext: plaintext,
                keyManagement: algorithm == "A256KW"
                    ? .keyWrap(key) : .gcmKeyWrap(key, initializationVector: Samples.bytes(12)))
            var tokens = [try ours.mint()]
            for library in Peer.Library.jose {
                tokens.append(try peer.makeJWE(plaintext, algorithm, .secret(key), with: library))
            }
            for token in tokens {
                try expect(jwe: token, algorithm, key, plaintext)
                guard round < 10 else { continue }
                for mutation in try Samples.mutations(of: token) { try expect(jwe: mutation, algorithm, key, nil) }
            }
        }
    }

    @Test("ECDH-ES: what any of the three seals for a P-256 key, all three open")
    func keyAgreement() throws {
        for round in 0..<20 {
            let pair = try peer.makeKey("ES256")
            let hardware = try TestKey(pem: pair.private)
            let body = pair.private.split(separator: "\n").dropFirst().dropLast().joined()
            let key = JWEKey.ecdhES(
                try AgreementPrivateKey(privateKeyInfo: SecretBytes(Base64.decode(body, .standard))))
            // jwcrypto takes an empty plaintext for a decryption that failed.
            let plaintext = [UInt8(ascii: "{")] + Samples.payload()
            var tokens = [try CompactJWE.seal(SecretBytes(plaintext), for: hardware.publicPoint, type: "t")]
            for library in Peer.Library.jose {
                tokens.append(try peer.makeJWE(plaintext, "ECDH-ES", .pem(pair.public), with: library))
            }
            func expect(_ token: String, _ plaintext: [UInt8]?) throws {
                let ours = (try? CompactJWE(Array(token.utf8), limit: 1 << 20)).flatMap { try? key.decrypt($0) }
                #expect(ours == plaintext, "ours: \(token)")
                for library in Peer.Library.jose {
                    let found = try peer.open(jwe: token, "ECDH-ES", .pem(pair.private), with: library)
                    #expect(found == plaintext, "\(library): \(token)")
                }
            }
            for token in tokens {
                try expect(token, plaintext)
                guard round < 3 else { continue }
                for mutation in try Samples.mutations(of: token) { try expect(mutation, nil) }
            }
        }
    }

    @Test("Peers open a measurement token for offline hardware, and read what the policy sealed")
    func measurementToken() throws {
        let pair = try peer.makeKey("ES256")
        let measured = ApproovTestMeasurements()
        let token = MeasurementToken(
            ApproovClaims.Measurements(
                proofKey: measured.proofKey.map { SecretBytes($0) },
                integrity: measured.integrity.map { SecretBytes($0) }, device: nil),
            issuedAt: Date(timeIntervalSince1970: 1_790_000_000))
        let sealed = try token.sealed(for: MeasurementToken.PublicKey(text: pair.public))
        let expected =
            #"{"mpk":"\#(Base64.encode(measured.proofKey ?? [], .standard))","#
            + #""imh":"\#(Base64.encode(measured.integrity ?? [], .standard))","iat":1790000000}"#
        for library in Peer.Library.jose {
            let found = try peer.open(jwe: sealed, "ECDH-ES", .pem(pair.private), with: library)
            #expect(found == Array(expected.utf8), "\(library): \(sealed)")
        }
    }

    @Test("HS256: what any of the three signs, all three verify")
    func hs256() throws {
        for round in 0..<100 {
            // A secret shorter than the digest is one that we refuse (RFC 7518 section 3.2).
            let (key, payload) = (Samples.bytes(Int.random(in: 32...64)), Samples.payload())
            var tokens = [try JWSBlueprint(payload: payload, signer: .hs256(key)).mint()]
            for library in Peer.Library.jose {
                tokens.append(try peer.makeJWS(payload, "HS256", .secret(key), with: library))
            }
            try check(tokens, "HS256", .secret(key), payload, mutating: round < 10)
        }
    }

    @Test("RS256: what any of the three signs, all three verify, under keys that a peer made")
    func rs256() throws {
        for _ in 0..<3 {
            let pair = try peer.makeKey("RS256")
            let privateKey = try RSAPrivateKey(pem: SecretBytes(Array(pair.private.utf8)))
            for round in 0..<35 {
                let payload = Samples.payload()
                let input = "\(Base64URL.text(Array(#"{"alg":"RS256"}"#.utf8))).\(Base64URL.text(payload))"
                let signature = try privateKey.sign(Array(input.utf8)[...])
                var tokens = ["\(input).\(Base64URL.text(signature))"]
                for library in Peer.Library.jose {
                    tokens.append(try peer.makeJWS(payload, "RS256", .pem(pair.private), with: library))
                }
                try check(tokens, "RS256", .pem(pair.public), payload, mutating: round < 4)
            }
        }
    }

    private func check(
        _ tokens: [String], _ algorithm: String, _ key: Peer.Key, _ payload: [UInt8], mutating: Bool
    ) throws {
        for token in tokens {
            try expect(jws: token, algorithm, key, payload)
            guard mutating else { continue }
            for mutation in try Samples.mutations(of: token) { try expect(jws: mutation, algorithm, key, nil) }
        }
    }

    @Test("an algorithm that the key does not have is refused by all three")
    func confusion() throws {
        let pair = try peer.makeKey("RS256")
        let (_, ellipticKey) = Samples.signingKey()
        let secret = Samples.bytes(32)
        let signed = try peer.makeJWS([1, 2, 3], "RS256", .pem(pair.private), with: .jwcrypto)
        try expect(jws: signed, "ES256", ellipticKey, nil)
        try expect(jws: signed, "HS256", .secret(secret), nil)
        let unsigned = try JWSBlueprint(payload: [1, 2, 3], signer: .none).mint()
        try expect(jws: unsigned, "RS256", .pem(pair.public), nil)
        try expect(jws: unsigned, "ES256", ellipticKey, nil)
        try expect(jws: unsigned, "HS256", .secret(secret), nil)
        let wrapped = try JWEBlueprint(plaintext: [1, 2, 3], keyManagement: .keyWrap(secret)).mint()
        try expect(jwe: wrapped, "A256GCMKW", secret, nil)
        var direct = JWEBlueprint(plaintext: [1, 2, 3], keyManagement: .direct, contentKey: secret)
        direct.header = ["alg": "dir", "enc": "A256GCM"]
        try expect(jwe: direct.mint(), "A256KW", secret, nil)
    }
}
