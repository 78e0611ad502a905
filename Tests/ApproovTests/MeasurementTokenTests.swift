import Approov
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation
import Testing

/// The backend encrypts measurements for hardware, and only that hardware can decrypt them.
@Suite("Measurement tokens for offline hardware")
struct MeasurementTokenTests {
    private static let now = TokenFixtures.now
    private static let hardware = TestKey(.p256, seed: "measurement tokens", label: "hardware")
    private static let nonce = [UInt8](0..<16)
    private static let measured = ApproovTestMeasurements(seed: "measurement tokens", label: "app")
    private static let measurements = ApproovClaims.Measurements(
        proofKey: measured.proofKey.map { SecretBytes($0) }, integrity: measured.integrity.map { SecretBytes($0) },
        device: measured.device.map { SecretBytes($0) })

    private static func pem(_ key: TestKey = hardware) -> SecretBytes { SecretBytes(Array(key.pem.utf8)) }

    private static func blueprint(
        _ change: (inout ApproovMeasurementTokenBlueprint) -> Void = { _ in }
    ) throws -> String {
        var blueprint = ApproovMeasurementTokenBlueprint(measured, for: hardware.publicPoint, issuedAt: now)
        change(&blueprint)
        return try blueprint.mint()
    }

    private static func bytes(_ secret: SecretBytes?) -> [UInt8]? { secret?.withUnsafeBytes { Array($0) } }

    @Test("Times with fractions are times (RFC 7519 section 2), and the token expires at its fraction")
    func fractions() throws {
        let key = try MeasurementToken.PrivateKey(pem: Self.pem())
        let seconds = Int(Self.now.timeIntervalSince1970)
        let text = try Self.blueprint {
            $0.content["iat"] = .number("\(seconds).25")
            $0.content["exp"] = .number("\(seconds).75")
        }
        let opened = try MeasurementToken(opening: text, with: key, at: Self.now + 0.5)
        #expect(opened.issuedAt == Self.now + 0.25 && opened.expiresAt == Self.now + 0.75)
        let late = #expect(throws: DecodeError.self) {
            try MeasurementToken(opening: text, with: key, at: Self.now + 0.75)
        }
        #expect(late?.code == "measurements-expired")
        let reversed = try Self.blueprint {
            $0.content["iat"] = .number("\(seconds).75")
            $0.content["exp"] = .number("\(seconds).25")
        }
        #expect(throws: DecodeError.self) { try MeasurementToken(opening: reversed, with: key, at: Self.now) }
    }

    @Test("Only the hardware opens the token that the backend sealed")
    func roundTrip() throws {
        let privateKey = try MeasurementToken.PrivateKey(pem: Self.pem())
        let pem = TokenFixtures.pem(Self.hardware.subjectPublicKeyInfo())
        let info = Base64.encode(Self.hardware.subjectPublicKeyInfo(), .standard)
        let publicKeys = try [
            privateKey.publicKey, .init(text: pem), .init(text: info),
            .init(x963Representation: Self.hardware.publicPoint),
        ]
        #expect(Set(publicKeys).count == 1)
        let token = MeasurementToken(
            Self.measurements, deviceID: TokenFixtures.deviceID, responseCode: "ABCDEF", issuedAt: Self.now + 0.75,
            expiresAt: Self.now + 60)
        let text = try token.sealed(for: publicKeys[0])
        #expect(try text != token.sealed(for: publicKeys[0]))
        let opened = try MeasurementToken(opening: text, with: privateKey, at: Self.now + 59.9)
        #expect(Self.bytes(opened.measurements.proofKey) == Self.measured.proofKey)
        #expect(Self.bytes(opened.measurements.integrity) == Self.measured.integrity)
        #expect(Self.bytes(opened.measurements.device) == Self.measured.device)
        #expect(opened.deviceID == TokenFixtures.deviceID && opened.responseCode == "ABCDEF")
        #expect(opened.issuedAt == Self.now && opened.expiresAt == Self.now + 60)
        func code(_ text: String, _ key: MeasurementToken.PrivateKey, at now: Date) -> String? {
            do throws(DecodeError) {
                _ = try MeasurementToken(opening: text, with: key, at: now)
                return nil
            } catch { return error.code }
        }
        let other = try MeasurementToken.PrivateKey(pem: Self.pem(TestKey(.p256)))
        #expect(code(text, other, at: Self.now) == "not-opened")
        #expect(code(text, privateKey, at: Self.now + 60) == "measurements-expired")
        for index in text.indices where text.distance(from: text.startIndex, to: index) % 7 == 0 {
            var changed = text
            changed.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
            #expect(code(changed, privateKey, at: Self.now) != nil)
        }
    }

    @Test("A token of another implementation opens; if any part differs, it is refused and the error names the part")
    func strictness() throws {
        let key = try MeasurementToken.PrivateKey(pem: Self.pem())
        let good = try MeasurementToken(opening: Self.blueprint(), with: key, at: Self.now)
        #expect(good.expiresAt == nil && good.deviceID == nil && good.issuedAt == Self.now)
        typealias Change = (inout ApproovMeasurementTokenBlueprint) -> Void
        let table: [(words: String, change: Change)] = [
            ("typ", { $0.header["typ"] = nil }), ("typ", { $0.header["typ"] = "JWT" }),
            ("kid", { $0.header["kid"] = "a" }), ("apu", { $0.header["apu"] = "QQ" }),
            ("alg", { $0.header["alg"] = "dir" }), ("enc", { $0.header["enc"] = "A128GCM" }),
            ("epk", { $0.header["epk"] = nil }), ("epk", { $0.header["epk"] = "x" }),
            ("encrypted key", { $0.change = { $0.changeEncryptedKey = { _ in [0] } } }),
            ("initialization vector", { $0.initializationVector = [UInt8](repeating: 0, count: 16) }),
            ("another key", { $0.change = { $0.changeTag = { $0.reversed() } } }),
            ("iat", { $0.content["iat"] = nil }),
            ("iat", { $0.content["iat"] = .number("-1") }), ("iat", { $0.content["iat"] = .number("1e300") }),
            ("exp", { $0.content["exp"] = .number("\(TokenFixtures.seconds)") }),
            ("exp", { $0.content["exp"] = .number("1e300") }),
            ("mpk", { $0.content["mpk"] = nil }), ("mpk", { $0.content["mpk"] = "AA==" }),
            (
                "imh",
                {
                    $0.content["imh"] = nil
                    $0.content["dmh"] = nil
                }
            ),
            ("did", { $0.content["did"] = "x" }), ("aud", { $0.content["aud"] = "x" }),
            ("anno", { $0.content["anno"] = [] }), ("nonce", { $0.content["nonce"] = "x" }),
        ]
        for (words, change) in table {
            #expect {
                _ = try MeasurementToken(opening: Self.blueprint(change), with: key, at: Self.now)
            } throws: { error in
                (error as? DecodeError)?.detail.contains(words) == true
            }
        }
        for text in ["", "a.b.c", try TokenFixtures.token(), try TokenFixtures.jwe("{}")] {
            #expect(throws: DecodeError.self) { try MeasurementToken(opening: text, with: key, at: Self.now) }
        }
    }

    @Test("Measurements that cannot be proven are not sealed")
    func notSealed() throws {
        let key = try MeasurementToken.PublicKey(x963Representation: Self.hardware.publicPoint)
        let (mpk, imh) = (Self.measurements.proofKey, Self.measurements.integrity)
        let tokens = [
            MeasurementToken(.init(proofKey: nil, integrity: imh, device: nil), issuedAt: Self.now),
            MeasurementToken(.init(proofKey: mpk, integrity: nil, device: nil), issuedAt: Self.now),
            MeasurementToken(.init(proofKey: imh, integrity: imh, device: nil), issuedAt: Self.now),
            MeasurementToken(.init(proofKey: mpk, integrity: imh, device: mpk), issuedAt: Self.now),
            MeasurementToken(Self.measurements, deviceID: "x", issuedAt: Self.now),
            MeasurementToken(Self.measurements, responseCode: String(repeating: "A", count: 65), issuedAt: Self.now),
            MeasurementToken(Self.measurements, issuedAt: Self.now, expiresAt: Self.now + 0.5),
            MeasurementToken(Self.measurements, issuedAt: Date(timeIntervalSince1970: .nan)),
            MeasurementToken(Self.measurements, issuedAt: Self.now, expiresAt: Date(timeIntervalSince1970: .infinity)),
        ]
        for token in tokens { #expect(throws: DecodeError.self) { try token.sealed(for: key) } }
    }

    @Test("Keys of another form or curve are refused, and no error shows a private key")
    func keys() throws {
        let p384 = TestKey(.p384, seed: "measurement tokens", label: "p384")
        for text in ["", "x", p384.pem, TokenFixtures.pem(p384.subjectPublicKeyInfo()), Self.hardware.pem] {
            #expect(throws: KeyError.self) { try MeasurementToken.PublicKey(text: text) }
        }
        #expect(throws: DecodeError.self) { try MeasurementToken.PublicKey(x963Representation: p384.publicPoint) }
        let body = Self.hardware.pem.split(separator: "\n").dropFirst().dropLast().joined()
        for text in [
            "", body, p384.pem, TokenFixtures.pem(Self.hardware.subjectPublicKeyInfo()),
            Self.hardware.pem.replacing("PRIVATE", with: "EC PRIVATE"), Self.hardware.pem + Self.hardware.pem,
            Self.hardware.pem.replacing("MI", with: "M!"),
        ] {
            #expect {
                try MeasurementToken.PrivateKey(pem: SecretBytes(Array(text.utf8)))
            } throws: { error in
                guard let error = error as? KeyError else { return false }
                return !"\(error)".contains(body.dropFirst(40).prefix(12))
            }
        }
    }

    // MARK: Proofs

    private func judge(
        _ sealed: String, _ measurement: [UInt8]? = measured.integrity, keys: [TestKey] = [hardware],
        account: String? = nil
    ) async throws -> Verdict {
        let named = try keys.enumerated().map { index, key in
            NamedKey(
                name: "hardware-\(index)", scope: "api",
                material: try ApproovHardwareKey.reading(["privateKey": Self.pem(key)]))
        }
        let proof = Self.measured.proof(nonce: Self.nonce, of: measurement ?? [])
        return try await TokenFixtures.verifier(TokenFixtures.lenient, keys: named).verify(
            ApproovProofInput(nonce: Self.nonce, proof: proof, source: .sealed(sealed)), account: account, at: Self.now)
    }

    @Test("A proof is compared with the measurements of a token that a live key opens")
    func proofs() async throws {
        let good = try await judge(Self.blueprint(), keys: [TestKey(.p256), Self.hardware])
        #expect(good.outcome == .accept)
        #expect(good.checks.map(\.check) == [CheckID.approovProofSealed, CheckID.approovProofMeasurement])
        #expect(good.tokenDetail(CheckID.approovProofSealed) == "with key hardware-1")
        #expect(good.approov?.measurement == .integrity && good.approov?.deviceID == nil)
        let device = try await judge(Self.blueprint(), Self.measured.device)
        #expect(device.approov?.measurement == .device)
        let other = try await judge(Self.blueprint(), Self.nonce)
        #expect(other.failures == ["approov.proof.measurement proof-differs"])
        let foreign = try await judge(Self.blueprint(), keys: [TestKey(.p256)])
        #expect(foreign.failures == ["approov.proof.sealed not-opened"])
        #expect(foreign.tokenResult(CheckID.approovProofMeasurement)?.because == .check(.approovProofSealed))
        let expired = try await judge(
            Self.blueprint {
                $0.content["iat"] = .number("1")
                $0.content["exp"] = .integer(TokenFixtures.seconds)
            })
        #expect(expired.failures == ["approov.proof.sealed measurements-expired"])
        for keys in [[], [Self.hardware]] {
            await #expect(throws: VerificationError.self) {
                try await judge(Self.blueprint(), keys: keys, account: keys.isEmpty ? nil : "alice")
            }
        }
    }

    @Test("No verdict contains the measurements or the measurement token")
    func secrecy() async throws {
        let sealed = try Self.blueprint()
        var dumped = ""
        for measurement in [Self.measured.integrity, Self.nonce] {
            let verdict = try await judge(sealed, measurement)
            dump(verdict, to: &dumped)
            dumped += verdict.json(id: "x") + verdict.checks.compactMap { $0.finding?.detail }.joined()
        }
        for bytes in [Self.measured.proofKey ?? [], Self.measured.integrity ?? [], Self.measured.device ?? []] {
            #expect(!dumped.contains(Data(bytes).base64EncodedString().prefix(12)))
        }
        #expect(!dumped.contains(sealed.suffix(20)))
    }

    @Test("The measurements of a verified token are sealed with its device and response code")
    func claims() async throws {
        var claims = TokenFixtures.claims
        for (name, bytes) in [("mpk", Self.measured.proofKey), ("imh", Self.measured.integrity)] {
            claims[name] = .text(Data(bytes ?? []).base64EncodedString())
        }
        let verdict = try await TokenFixtures.judge(try TokenFixtures.token(claims))
        let verified = try #require(verdict.approov?.claims)
        let token = try #require(MeasurementToken(verified, validFor: 60, at: Self.now))
        let key = try MeasurementToken.PrivateKey(pem: Self.pem())
        let opened = try MeasurementToken(opening: token.sealed(for: key.publicKey), with: key, at: Self.now)
        #expect(opened.deviceID == TokenFixtures.deviceID && opened.responseCode == "ABCDEF")
        #expect(opened.measurements.device == nil && opened.expiresAt == Self.now + 60)
        let plain = try await TokenFixtures.judge(try TokenFixtures.token())
        let unmeasured = try #require(plain.approov?.claims)
        #expect(MeasurementToken(unmeasured, at: Self.now) == nil)
    }

    @Test("A record with a measurement token is composed and read back")
    func records() throws {
        let input = ApproovProofInput(nonce: [1], proof: [2], source: .sealed("a.b.c.d.e"))
        let record = EvidenceRecord(input, receivedAt: Self.now)
        guard case .sealed("a.b.c.d.e") = try ApproovProofInput(record.evidence).source else {
            return #expect(Bool(false), "there is a measurement token")
        }
        let both = RecordObject(record.evidence.members.map { ($0.name, $0.value.content) } + [("token", .text("t"))])
        #expect {
            try ApproovProofInput(both)
        } throws: {
            ($0 as? RecordError)?.message.contains("exclude each other") == true
        }
    }
}
