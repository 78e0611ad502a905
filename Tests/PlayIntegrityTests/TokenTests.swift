import Assay
import AssayCore
import AssayPrimitives
import Crypto
import Foundation
import PlayIntegrity
import Testing

/// Hostile tokens are refused at the gate for them, before any later part is read.
@Suite("Play Integrity token")
struct TokenTests {
    private static let payload = Array(Fixtures.android.rendered.utf8)

    private func verdict(_ token: String) async throws -> Verdict {
        try await Fixtures.verifier().verify(Fixtures.classic(token: token), at: Fixtures.now)
    }

    /// Expects that a token fails one gate, and that everything after it is skipped because of it.
    private func expect(
        _ token: String, fails check: CheckID, _ code: String?, _ name: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let verdict = try await verdict(token)
        #expect(verdict.failed == [check], "\(name)", sourceLocation: sourceLocation)
        if let code { #expect(verdict.code(check) == code, "\(name)", sourceLocation: sourceLocation) }
        let index = PlayIntegrityCheck.classicChecks.firstIndex(of: check) ?? 0
        for later in PlayIntegrityCheck.classicChecks.dropFirst(index + 1) {
            #expect(verdict.result(later)?.because == .check(check), "\(name)", sourceLocation: sourceLocation)
        }
        #expect(verdict.subject == nil, sourceLocation: sourceLocation)
        let details = verdict.checks.compactMap { $0.finding?.detail }.joined()
        for secret in [Base64.encode(Fixtures.keys.decryptionBytes, .standard), token] where !secret.isEmpty {
            #expect(!details.contains(secret), sourceLocation: sourceLocation)
        }
    }

    /// A token with one part replaced.
    private func replacing(_ part: Int, _ change: (String) -> String) throws -> String {
        var parts = try Fixtures.keys.token(Self.payload).split(separator: ".").map(String.init)
        parts[part] = change(parts[part])
        return parts.joined(separator: ".")
    }

    @Test("The outer form has one encoding, five parts and the lengths of its algorithms")
    func outerForm() async throws {
        let decode = CheckID.playIntegrityDecode
        let genuine = try Fixtures.keys.token(Self.payload)
        try await expect("", fails: decode, "malformed", "nothing")
        try await expect(genuine + ".", fails: decode, "malformed", "six parts")
        try await expect(
            genuine.split(separator: ".").dropLast().joined(separator: "."), fails: decode, "malformed", "four parts")
        try await expect(Fixtures.keys.jws(Self.payload), fails: decode, "malformed", "bare JWS")
        try await expect(Fixtures.android.rendered, fails: decode, nil, "plain JSON")
        for space in [" ", "\n"] {
            try await expect(space + genuine, fails: decode, nil, "white space before")
            try await expect(genuine + space, fails: decode, nil, "white space after")
        }
        for part in 0..<5 {
            try await expect(replacing(part) { $0 + "=" }, fails: decode, nil, "padding")
            try await expect(replacing(part) { $0 + "+/" }, fails: decode, "invalid-text", "standard alphabet")
            try await expect(replacing(part) { _ in "A" }, fails: decode, nil, "half a byte")
        }
        for (part, length) in [(1, 40), (2, 12), (4, 16)] {
            for other in [0, length - 8, length - 1, length + 1, 2 * length] {
                let text = TokenFixture.base64url([UInt8](repeating: 1, count: other))
                try await expect(replacing(part) { _ in text }, fails: decode, "unexpected-length", "\(part): \(other)")
            }
        }
        // 12 bytes leave no spare bits; 40 and 16 bytes do: a lenient decoder would accept another last character.
        for part in [1, 4] {
            try await expect(
                replacing(part) { text in
                    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
                    let last = alphabet.firstIndex(of: text.last ?? "A") ?? 0
                    return text.dropLast() + String(alphabet[last ^ 1])
                }, fails: decode, "not-minimal", "trailing bits")
        }
        try await expect(String(repeating: "A", count: 70_000), fails: decode, "too-large", "size")
    }

    @Test(
        "Headers that are not strict JSON, or that change how the rest is read, fail to decode",
        arguments: [
            #"{"alg":"A256KW","enc":"A256GCM","alg":"A256KW"}"#,
            #"{"alg":"A256KW","enc":"A256GCM","\u0061lg":"A256KW"}"#,
            #"{"alg":"A256KW","enc":"A256GCM","crit":["exp"],"exp":1}"#,
            #"{"alg":"A256KW","enc":"A256GCM","crit":[]}"#, #"{"alg":"A256KW","enc":"A256GCM","zip":"DEF"}"#,
            #"{"alg":"A256KW"}"#, #"{"enc":"A256GCM"}"#, #"{"alg":1,"enc":"A256GCM"}"#, #"["A256KW"]"#, "", "{}",
            "\u{FEFF}" + #"{"alg":"A256KW","enc":"A256GCM"}"#, #"{"alg":"A256KW","enc":"A256GCM",}"#,
        ])
    func headers(header: String) async throws {
        let token = try Fixtures.keys.jwe(Fixtures.keys.jws(Self.payload), header: header)
        try await expect(token, fails: CheckID.playIntegrityDecode, nil, header)
    }

    @Test(
        "An outer algorithm other than the key's fails decryption, even if the key could open the token",
        arguments: ["dir", "A128KW", "A192KW", "A256GCMKW", "a256kw", "none", "RSA-OAEP", "PBES2-HS256+A128KW", ""])
    func keyAlgorithms(name: String) async throws {
        let token = try Fixtures.keys.jwe(
            Fixtures.keys.jws(Self.payload), header: #"{"alg":"\#(name)","enc":"A256GCM"}"#)
        try await expect(token, fails: CheckID.playIntegrityDecryption, "algorithm-not-allowed", name)
    }

    @Test("Another content encryption fails decryption", arguments: ["A128GCM", "A256CBC-HS512", "a256gcm", ""])
    func contentAlgorithms(name: String) async throws {
        let token = try Fixtures.keys.jwe(
            Fixtures.keys.jws(Self.payload), header: #"{"alg":"A256KW","enc":"\#(name)"}"#)
        try await expect(token, fails: CheckID.playIntegrityDecryption, "algorithm-not-allowed", name)
    }

    @Test("Embedded and referenced keys are ignored: the app's own key decides")
    func embeddedKeys() async throws {
        let header = #"{"alg":"ES256","jwk":{"kty":"EC"},"jku":"https://example.com","x5c":["AA=="],"kid":"x"}"#
        let token = try Fixtures.keys.jwe(Fixtures.keys.jws(Self.payload, header: header))
        #expect(try await verdict(token).failed == [])
        let foreign = TokenFixture()
        let forged = try Fixtures.keys.jwe(foreign.jws(Self.payload, header: header))
        try await expect(forged, fails: CheckID.playIntegritySignature, "signature-invalid", "foreign key")
    }

    @Test("A change of any part, and a foreign key, fail decryption")
    func changed() async throws {
        for part in 1..<5 {
            try await expect(
                replacing(part) { ($0.first == "A" ? "B" : "A") + $0.dropFirst() },
                fails: CheckID.playIntegrityDecryption,
                part == 1 ? "key-unwrap-failed" : "decryption-failed", "part \(part)")
        }
        try await expect(
            replacing(0) { _ in TokenFixture.base64url(#"{"enc":"A256GCM","alg":"A256KW"}"#.utf8) },
            fails: CheckID.playIntegrityDecryption, "decryption-failed", "another header of the same meaning")
        try await expect(
            TokenFixture().token(Self.payload), fails: CheckID.playIntegrityDecryption, "key-unwrap-failed", "foreign")
    }

    @Test("The decrypted token must be a compact JWS with an ES256 signature of the app's key")
    func innerForm() async throws {
        let signature = CheckID.playIntegritySignature
        let jws = try Fixtures.keys.jws(Self.payload)
        let parts = jws.split(separator: ".").map(String.init)
        let raw = try Base64.decode(parts[2], .url)
        func token(_ plaintext: String) throws -> String { try Fixtures.keys.jwe(plaintext) }
        func signed(_ bytes: [UInt8]) throws -> String {
            try token("\(parts[0]).\(parts[1]).\(TokenFixture.base64url(bytes))")
        }
        try await expect(token(Fixtures.android.rendered), fails: signature, "malformed", "plain JSON")
        try await expect(token(token(jws)), fails: signature, "malformed", "JWE in JWE")
        try await expect(token(""), fails: signature, "malformed", "nothing")
        try await expect(token(jws + "\n"), fails: signature, nil, "white space")
        try await expect(token(jws + "="), fails: signature, nil, "padding")
        for header in [
            #"{"alg":"none"}"#, #"{"alg":"None"}"#, #"{"alg":"NONE"}"#, #"{"alg":"nOnE"}"#, #"{"alg":"HS256"}"#,
            #"{"alg":"RS256"}"#, #"{"alg":"es256"}"#, #"{"alg":"ES384"}"#, #"{"alg":""}"#,
        ] {
            try await expect(
                token(Fixtures.keys.jws(Self.payload, header: header)), fails: signature, "algorithm-not-allowed",
                header)
        }
        for header in [
            #"{"alg":"ES256","crit":["b64"],"b64":false}"#, #"{"alg":"ES256","alg":"ES256"}"#, #"{}"#, "{",
            #"{"alg":"ES256","zip":"DEF"}"#,
        ] {
            try await expect(token(Fixtures.keys.jws(Self.payload, header: header)), fails: signature, nil, header)
        }
        let none = TokenFixture.base64url(#"{"alg":"none"}"#.utf8)
        try await expect(token("\(none).\(parts[1])."), fails: signature, "algorithm-not-allowed", "none, unsigned")
        let der = try P256.Signing.ECDSASignature(rawRepresentation: raw).derRepresentation
        for (bytes, name) in [
            (Array(der), "DER"), (Array(raw.dropLast()), "63 bytes"), (raw + [0], "65 bytes"), ([], "no signature"),
        ] {
            try await expect(signed(bytes), fails: signature, "wrong-length", name)
        }
        let order = try Base64.decode("_____wAAAAD__________7zm-q2nF56E87nKwvxjJVE", .url)
        let zero = [UInt8](repeating: 0, count: 32)
        let (r, s) = (Array(raw[..<32]), Array(raw[32...]))
        let wrong: [([UInt8], String)] = [
            (zero + zero, "zero"), (zero + s, "r is zero"), (r + zero, "s is zero"), (order + s, "r is n"),
            (r + order, "s is n"), ([UInt8](repeating: 0xFF, count: 64), "beyond n"),
        ]
        for (bytes, name) in wrong {
            try await expect(signed(bytes), fails: signature, "signature-invalid", name)
        }
        let other = TokenFixture.base64url(Fixtures.standard.rendered.utf8)
        try await expect(
            token("\(parts[0]).\(other).\(parts[2])"), fails: signature, "signature-invalid", "another payload")
        try await expect(
            Fixtures.keys.jwe(TokenFixture().jws(Self.payload)), fails: signature, "signature-invalid", "another key")
    }

    @Test("HS256 with the public key as secret, as SPKI or as PEM, is refused before it is computed")
    func publicKeyAsSecret() async throws {
        let input = "\(TokenFixture.base64url(#"{"alg":"HS256"}"#.utf8)).\(TokenFixture.base64url(Self.payload))"
        for key in [
            Data(Fixtures.keys.verificationBytes), Data(Fixtures.keys.signingKey.publicKey.pemRepresentation.utf8),
        ] {
            let code = Crypto.HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: SymmetricKey(data: key))
            try await expect(
                Fixtures.keys.jwe("\(input).\(TokenFixture.base64url(code))"), fails: CheckID.playIntegritySignature,
                "algorithm-not-allowed", "HS256")
        }
    }

    @Test("Every truncation of a token is a rejection and never an error", .timeLimit(.minutes(20)))
    func truncations() async throws {
        let genuine = try Fixtures.keys.token(Self.payload)
        for length in stride(from: 0, to: genuine.utf8.count, by: 7) {
            let verdict = try await verdict(String(genuine.prefix(length)))
            #expect(verdict.failed.count == 1)
            #expect(verdict.failed.first != CheckID.playIntegrityPayload)
        }
    }
}
