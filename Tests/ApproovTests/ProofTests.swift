import Approov
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Crypto
import Foundation
import Testing

/// A proof is the HMAC of the hardware's nonce and a measurement, with the proof key that accompanies the measurements.
@Suite("Measurement proofs of Approov")
struct ProofTests {
    private static let proofKey = Array(SHA256.hash(data: Data("mpk".utf8)).prefix(16))
    private static let integrity = Array(SHA256.hash(data: Data("imh".utf8)))
    private static let device = Array(SHA256.hash(data: Data("dmh".utf8)))
    private static let nonce = [UInt8](0..<16)

    private static func proof(of measurement: [UInt8], nonce: [UInt8] = nonce, key: [UInt8] = proofKey) -> [UInt8] {
        Array(
            HMAC<SHA256>.authenticationCode(for: Data(nonce + measurement), using: SymmetricKey(data: key)))
    }

    private static let everything = ApproovClaims.Measurements(
        proofKey: SecretBytes(proofKey), integrity: SecretBytes(integrity), device: SecretBytes(device))

    /// Settings that take measurements of signed tokens, too.
    private static func anyTokens(_ settings: ApproovConfiguration.Settings) -> ApproovConfiguration.Settings {
        var settings = settings
        settings.proof = ProofRules(tokens: .any)
        return settings
    }

    private func judge(
        _ proof: [UInt8], nonce: [UInt8] = Self.nonce,
        _ source: ApproovProofInput.Source = .measurements(Self.everything), of measurement: ApproovMeasurement? = nil,
        _ settings: ApproovConfiguration.Settings = Self.anyTokens(TokenFixtures.lenient)
    ) async throws -> Verdict {
        try await TokenFixtures.verifier(settings).verify(
            ApproovProofInput(nonce: nonce, proof: proof, source: source, measurement: measurement),
            at: TokenFixtures.now)
    }

    private static var claims: JSONItem {
        var claims = TokenFixtures.claims
        for (name, bytes) in [("mpk", proofKey), ("imh", integrity), ("dmh", device)] {
            claims[name] = .text(Data(bytes).base64EncodedString())
        }
        return claims
    }

    @Test("Both measurements can be proven, and the verdict names the proven one")
    func measurements() async throws {
        for (bytes, measurement) in [(Self.integrity, ApproovMeasurement.integrity), (Self.device, .device)] {
            for asked in [nil, measurement] {
                let verdict = try await judge(Self.proof(of: bytes), of: asked)
                #expect(verdict.outcome == .accept)
                #expect(verdict.checks.map(\.check) == [CheckID.approovProofMeasurement])
                #expect(verdict.approov?.measurement == measurement)
            }
        }
        let other = try await judge(Self.proof(of: Self.device), of: .integrity)
        #expect(other.failed == [CheckID.approovProofMeasurement])
        #expect(other.subject == nil)
    }

    @Test("Another nonce, key or measurement, and a flip of any bit of a proof, are refused")
    func differing() async throws {
        let good = Self.proof(of: Self.integrity)
        var wrong = [
            Self.proof(of: Self.integrity, nonce: [UInt8](1...16)), Self.proof(of: Self.integrity, key: Self.nonce),
            Self.proof(of: Self.nonce), [UInt8](repeating: 0, count: 32), Self.integrity,
            Array(
                HMAC<SHA256>.authenticationCode(
                    for: Data(Self.integrity + Self.nonce), using: SymmetricKey(data: Self.proofKey))),
        ]
        for index in good.indices {
            for bit in 0..<8 {
                var changed = good
                changed[index] ^= 1 << UInt8(bit)
                wrong.append(changed)
            }
        }
        for proof in wrong {
            let verdict = try await judge(proof)
            #expect(verdict.failed == [CheckID.approovProofMeasurement])
            #expect(verdict.tokenCode(CheckID.approovProofMeasurement) == "proof-differs")
        }
        #expect(try await judge(good, nonce: [UInt8](repeating: 9, count: 16)).outcome == .reject)
    }

    @Test("Nonce and proof have fixed lengths")
    func lengths() async throws {
        for nonce in [[], [UInt8](0..<15), [UInt8](0..<17), [UInt8](0..<48)] {
            let verdict = try await judge(Self.proof(of: Self.integrity, nonce: nonce), nonce: nonce)
            #expect(verdict.tokenCode(CheckID.approovProofMeasurement) == "wrong-length")
        }
        let good = Self.proof(of: Self.integrity)
        for proof in [[], Array(good.dropLast()), good + [0], Array(good.prefix(16))] {
            let verdict = try await judge(proof)
            #expect(verdict.failed == [CheckID.approovProofMeasurement])
            #expect(verdict.tokenCode(CheckID.approovProofMeasurement) == "wrong-length")
        }
    }

    @Test("A missing measurement or key is named")
    func missing() async throws {
        let good = Self.proof(of: Self.integrity)
        let (key, value) = (SecretBytes(Self.proofKey), SecretBytes(Self.integrity))
        let cases: [(ApproovClaims.Measurements, ApproovMeasurement?, String?)] = [
            (.init(proofKey: nil, integrity: value, device: value), nil, "proof-key-missing"),
            (.init(proofKey: key, integrity: nil, device: nil), nil, "measurement-missing"),
            (.init(proofKey: key, integrity: nil, device: value), .integrity, "measurement-missing"),
            (.init(proofKey: key, integrity: value, device: nil), .device, "measurement-missing"),
            (.init(proofKey: key, integrity: value, device: nil), nil, nil),
        ]
        for (measurements, asked, code) in cases {
            let verdict = try await judge(good, .measurements(measurements), of: asked)
            #expect(verdict.outcome == (code == nil ? .accept : .reject))
            if let code { #expect(verdict.tokenCode(CheckID.approovProofMeasurement) == code) }
        }
    }

    @Test("A token with the measurements is verified first, in either form")
    func tokens() async throws {
        var sealed = TokenFixtures.lenient
        sealed.format = .jwe
        let good = Self.proof(of: Self.device)
        let signed = try await judge(good, .token(TokenFixtures.token(Self.claims)))
        #expect(signed.outcome == .accept)
        #expect(signed.checks.map(\.check) == ApproovCheck.signedTokenChecks + [CheckID.approovProofMeasurement])
        #expect(signed.approov?.measurement == .device)
        #expect(signed.approov?.deviceID == TokenFixtures.deviceID)
        let encrypted = try await judge(good, .token(TokenFixtures.jwe(Self.claims.text)), sealed)
        #expect(encrypted.outcome == .accept)
        #expect(encrypted.checks.map(\.check) == ApproovCheck.encryptedTokenChecks + [CheckID.approovProofMeasurement])
    }

    @Test("A proof is refused with an expired, foreign or bound token, and with a token without measurements")
    func badTokens() async throws {
        let good = Self.proof(of: Self.device)
        let foreign = try TokenFixtures.jws(Self.claims.text, by: TokenFixtures.hs256(TokenFixtures.otherSecret))
        let refused = try await judge(good, .token(foreign))
        #expect(refused.failed == [CheckID.approovTokenSignature])
        #expect(refused.tokenResult(CheckID.approovProofMeasurement)?.because == .check(.approovTokenSignature))
        #expect(refused.approov?.measurement == nil)

        var expired = Self.claims
        expired["exp"] = .integer(TokenFixtures.seconds)
        #expect(try await judge(good, .token(TokenFixtures.token(expired))).failed == [CheckID.approovTokenExpiry])

        let without = try await judge(good, .token(TokenFixtures.token()))
        #expect(without.failed == [CheckID.approovProofMeasurement])
        #expect(without.tokenCode(CheckID.approovProofMeasurement) == "measurements-missing")

        let bound = try await judge(
            good, .token(TokenFixtures.token(Self.claims)), Self.anyTokens(TokenFixtures.strict))
        #expect(bound.failed == [CheckID.approovTokenBinding])
    }

    @Test("No verdict contains the proof key, the measurements or the token")
    func secrecy() async throws {
        let token = try TokenFixtures.token(Self.claims)
        let good = Self.proof(of: Self.device)
        var verdicts: [Verdict] = []
        for proof in [good, Self.integrity] {
            verdicts.append(try await judge(proof, .token(token)))
            verdicts.append(try await judge(proof))
        }
        var dumped = ""
        for verdict in verdicts {
            dump(verdict, to: &dumped)
            dumped += verdict.json(id: "x") + verdict.checks.compactMap { $0.finding?.detail }.joined()
        }
        for bytes in [Self.proofKey, Self.integrity, Self.device] {
            for text in [
                Data(bytes).base64EncodedString(), bytes.map { String(format: "%02x", $0) }.joined(), "\(bytes)",
            ] {
                #expect(!dumped.contains(text))
                #expect(!dumped.contains(text.dropFirst().prefix(12)))
            }
        }
        #expect(!dumped.contains(token.suffix(20)))
    }
}
