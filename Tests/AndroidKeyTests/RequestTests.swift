import AndroidKey
import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// Requests that enrolled keys sign (RFC 9421).
@Suite("Signed requests")
struct AndroidKeyRequestTests {
    /// A request to sign, and what a test changes of it.
    struct Draft {
        var method = "POST"
        var uri = "https://api.example.com/v1/orders?id=7"
        var body = Array(#"{"amount":42}"#.utf8)
        var components = ["@method", "@target-uri", "content-digest"]
        var created = Int(Fixtures.time.timeIntervalSince1970)
        var nonce: String?
        var keyID: String?
        var algorithm: String?
        var tag = "android-key"
        /// Changes the signature before it is written.
        var change: @Sendable ([UInt8]) -> [UInt8] = { $0 }

        func signed(by key: AndroidAttestedKey) throws -> SignedRequest {
            let digest = "sha-256=:\(Base64.encode(Digest.sha256(body), .standard)):"
            var parameters = "(\(components.map { "\"\($0)\"" }.joined(separator: " ")));created=\(created)"
            if let nonce { parameters += ";nonce=\"\(nonce)\"" }
            let keyID = keyID ?? Base64.encode(key.keyID, .standard)
            if !keyID.isEmpty { parameters += ";keyid=\"\(keyID)\"" }
            let algorithm = algorithm ?? key.signatureAlgorithmName
            if !algorithm.isEmpty { parameters += ";alg=\"\(algorithm)\"" }
            parameters += ";tag=\"\(tag)\""
            let values = ["@method": method, "@target-uri": uri, "content-digest": digest]
            let lines = components.map { "\"\($0)\": \(values[$0] ?? "")" } + ["\"@signature-params\": \(parameters)"]
            let signature = change(try key.signature(over: Array(lines.joined(separator: "\n").utf8)))
            return SignedRequest(
                method: method, targetURI: uri,
                fields: [
                    SignedRequest.Field("Content-Digest", digest),
                    SignedRequest.Field("Signature-Input", "assay=\(parameters)"),
                    SignedRequest.Field("Signature", "assay=:\(Base64.encode(signature, .standard)):"),
                ], body: .bytes(body))
        }
    }

    private static func configuration(
        _ rules: AndroidKeyConfiguration.Rules = .init(), requests: RequestRules? = RequestRules(),
        account: AndroidKeyConfiguration.AccountBinding = .match, packages: [String] = [Fixtures.package],
        roots: [Certificate]? = nil
    ) throws -> AndroidKeyConfiguration {
        let certificates = try Fixtures.authority.get().rootCertificates.map { try Certificate(der: $0[...]) }
        return try AndroidKeyConfiguration(
            packages: packages, certificateDigests: [Fixtures.digest], challenge: .caller, statusList: .none,
            rules: rules
        ) {
            $0.account = account
            $0.requests = requests
            $0.testRoots = roots ?? certificates
        }
    }

    private let ledger = MemoryLedger()

    /// Enrols the key of a device, and returns it.
    @discardableResult
    private func enrol(
        _ algorithm: AndroidAttestedKey.Algorithm = .p256, account: String? = nil
    ) async throws -> AndroidAttestedKey {
        let blueprint = try Fixtures.blueprint(.factory, algorithm)
        let verdict = try await Fixtures.verifier(Self.configuration(), ledger: ledger)
            .verify(blueprint.mint().input, account: account, at: Fixtures.time)
        try #require(verdict.outcome == .accept)
        return blueprint.key
    }

    private func verdict(
        _ request: SignedRequest, _ configuration: AndroidKeyConfiguration? = nil, account: String? = nil,
        supplied: [UInt8]? = nil, after seconds: Double = 0
    ) async throws -> Verdict {
        let configuration = try configuration ?? Self.configuration()
        return try await Fixtures.verifier(configuration, ledger: ledger).verifyAndroidKeyRequest(
            request, suppliedKey: supplied, account: account, at: Fixtures.time.addingTimeInterval(seconds))
    }

    /// The first failed check with its code, without the kind; `accept` for none.
    private func outcome(_ verdict: Verdict) -> String {
        guard let failed = verdict.checks.first(where: { $0.status == .failed }) else {
            return verdict.outcome == .accept ? "accept" : "reject without a failed check"
        }
        return "\(failed.check.name.replacing("android-key.request.", with: "")) \(failed.finding?.code ?? "")"
    }

    @Test(
        "An enrolled key signs requests, with P-256 and with RSA",
        arguments: [AndroidAttestedKey.Algorithm.p256, .rsa2048])
    func accepted(_ algorithm: AndroidAttestedKey.Algorithm) async throws {
        let key = try await enrol(algorithm, account: "ada")
        let verdict = try await verdict(Draft().signed(by: key), account: "ada")
        #expect(outcome(verdict) == "accept")
        #expect(verdict.androidKey?.publicKeySHA256 == key.keyID)
        #expect(verdict.androidKey?.attestedAt == Fixtures.time)
        #expect(verdict.androidKey?.keyMintSecurityLevel == .trustedEnvironment)
        #expect(verdict.androidKey?.request?.components == ["@method", "@target-uri", "content-digest"])
        #expect(verdict.kind == .androidKeyRequest)
        #expect(verdict.testAuthority != nil)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let outcome: String
        let change: @Sendable (inout Draft) -> Void

        var testDescription: String { name }
    }

    @Test(
        "Each change of a request is rejected by the named check",
        arguments: [
            Case(name: "another method", outcome: "signature signature-invalid") { draft in
                draft.change = { signature in [signature[0] ^ 1] + signature.dropFirst() }
            },
            Case(name: "a signature in DER", outcome: "signature signature-length") { draft in
                draft.change = { signature in
                    SignatureDER.sequence(Array(signature.prefix(32)), Array(signature.suffix(32)))
                }
            },
            Case(name: "no signature", outcome: "signature signature-length") { $0.change = { _ in [] } },
            Case(name: "63 bytes", outcome: "signature signature-length") { $0.change = { $0.dropLast() } },
            Case(name: "r and s of zero", outcome: "signature signature-invalid") { draft in
                draft.change = { _ in [UInt8](repeating: 0, count: 64) }
            },
            Case(name: "no keyid", outcome: "decode key-id-missing") { $0.keyID = "" },
            Case(name: "keyid in base64url", outcome: "decode key-id-malformed") { draft in
                draft.keyID = Base64.encode([UInt8](repeating: 0xFF, count: 32), .url)
            },
            Case(name: "keyid of 31 bytes", outcome: "decode key-id-malformed") { draft in
                draft.keyID = Base64.encode([UInt8](repeating: 7, count: 31), .standard)
            },
            Case(name: "keyid of another key", outcome: "key key-unknown") { draft in
                draft.keyID = Base64.encode([UInt8](repeating: 7, count: 32), .standard)
            },
            Case(name: "no alg", outcome: "decode algorithm-missing") { $0.algorithm = "" },
            Case(name: "alg hmac", outcome: "decode algorithm-unknown") { $0.algorithm = "hmac-sha256" },
            Case(name: "alg in upper case", outcome: "decode algorithm-unknown") { $0.algorithm = "ECDSA-P256-SHA256" },
            Case(name: "alg of an RSA key", outcome: "key algorithm-differs") { $0.algorithm = "rsa-v1_5-sha256" },
            Case(name: "another tag", outcome: "decode tag-differs") { $0.tag = "app-attest" },
            Case(name: "the method not covered", outcome: "components not-covered") { draft in
                draft.components = ["@target-uri", "content-digest"]
            },
            Case(name: "the body not covered", outcome: "components body-not-covered") { draft in
                draft.components = ["@method", "@target-uri"]
            },
            Case(name: "too old", outcome: "freshness too-old") { $0.created -= 61 },
            Case(name: "from the future", outcome: "freshness from-the-future") { $0.created += 16 },
            Case(name: "an edge of the window", outcome: "accept") { $0.created -= 60 },
        ])
    func changes(_ example: Case) async throws {
        let key = try await enrol()
        var draft = Draft()
        example.change(&draft)
        #expect(outcome(try await verdict(draft.signed(by: key))) == example.outcome)
    }

    @Test("What the server acts on is what was signed")
    func changedOnTheWay() async throws {
        let key = try await enrol()
        let signed = try Draft().signed(by: key)
        func with(method: String? = nil, uri: String? = nil, body: String? = nil) -> SignedRequest {
            SignedRequest(
                method: method ?? signed.method, targetURI: uri ?? signed.targetURI, fields: signed.fields,
                body: body.map { .bytes(Array($0.utf8)) } ?? signed.body)
        }
        #expect(outcome(try await verdict(with(method: "PUT"))) == "signature signature-invalid")
        #expect(
            outcome(try await verdict(with(uri: "https://api.example.com/v1/orders?id=8")))
                == "signature signature-invalid")
        #expect(outcome(try await verdict(with(body: #"{"amount":43}"#))) == "content-digest digest-differs")
        // Nothing of this has used the request up.
        #expect(outcome(try await verdict(signed)) == "accept")
    }

    @Test("A key of another device, or of the same label elsewhere, does not pass")
    func otherKeys() async throws {
        let enrolled = try await enrol()
        let stranger = try AndroidAttestedKey(.p256, seed: "android-key tests", label: "stranger")
        #expect(outcome(try await verdict(Draft().signed(by: stranger))) == "key key-unknown")
        var draft = Draft()
        draft.keyID = Base64.encode(enrolled.keyID, .standard)
        #expect(outcome(try await verdict(draft.signed(by: stranger))) == "signature signature-invalid")
        let rsa = try AndroidAttestedKey(.rsa2048, seed: "android-key tests", label: "stranger")
        #expect(outcome(try await verdict(draft.signed(by: rsa))) == "key algorithm-differs")
    }

    @Test("A request counts once, also with the other s that its signature has")
    func replay() async throws {
        let key = try await enrol()
        let request = try Draft().signed(by: key)
        #expect(outcome(try await verdict(request)) == "accept")
        #expect(outcome(try await verdict(request)) == "replay digest-used")
        #expect(outcome(try await verdict(request, after: 60)) == "replay digest-used")
        #expect(outcome(try await verdict(request, after: 61)) == "freshness too-old")
        var other = Draft()
        other.change = { SignatureDER.otherForm($0) }
        #expect(outcome(try await verdict(other.signed(by: key))) == "replay digest-used")
        // A nonce tells two equal requests of one second apart.
        var again = Draft()
        again.nonce = "b7b6"
        #expect(outcome(try await verdict(again.signed(by: key))) == "accept")
    }

    @Test(
        "With nonce: ledger, the nonce is a challenge that is used once",
        .produces("android-key.request.challenge", "challenge-consumed"))
    func challenge() async throws {
        let key = try await enrol()
        let configuration = try Self.configuration(requests: RequestRules(nonce: .ledger))
        let verifier = try Fixtures.verifier(configuration, ledger: ledger)
        let issued = try await verifier.issueChallenge(app: "shop", for: .androidKeyRequest, at: Fixtures.time)
        #expect(outcome(try await verdict(Draft().signed(by: key), configuration)) == "challenge nonce-missing")
        var draft = Draft()
        draft.nonce = "invented"
        #expect(outcome(try await verdict(draft.signed(by: key), configuration)) == "challenge challenge-unknown")
        draft.nonce = Base64.encode(issued.value, .url)
        #expect(outcome(try await verdict(draft.signed(by: key), configuration)) == "accept")
        draft.created += 1
        #expect(
            outcome(try await verdict(draft.signed(by: key), configuration, after: 1)) == "challenge challenge-consumed"
        )
    }

    @Test("An attestation that is too old asks for a new one")
    func attestationAge() async throws {
        let key = try await enrol()
        var rules = AndroidKeyConfiguration.Rules()
        rules.maximumAttestationAge = 7 * 86_400
        let configuration = try Self.configuration(rules)
        var draft = Draft()
        draft.created += 7 * 86_400
        #expect(outcome(try await verdict(draft.signed(by: key), configuration, after: 7 * 86_400)) == "accept")
        draft.created += 1
        let late = try await verdict(draft.signed(by: key), configuration, after: 7 * 86_400 + 1)
        #expect(outcome(late) == "key-state attestation-too-old")
        #expect(late.remedy == .newAttestation)
    }

    @Test(
        "A policy that became stricter holds for enrolled keys",
        .produces(
            "android-key.request.key-state", "security-level-not-allowed", "boot-state-not-allowed",
            "key-algorithm-not-allowed", "package-not-allowed"),
        .produces("android-key.request.key", "key-of-another-authority"))
    func keyState() async throws {
        let key = try await enrol()
        var rules = AndroidKeyConfiguration.Rules()
        rules.securityLevel = .strongBox
        #expect(
            outcome(try await verdict(Draft().signed(by: key), Self.configuration(rules)))
                == "key-state security-level-not-allowed")
        rules = .init()
        rules.bootStates = [.selfSigned]
        rules.verifiedBootKeys = [[UInt8](repeating: 1, count: 32)]
        #expect(
            outcome(try await verdict(Draft().signed(by: key), Self.configuration(rules)))
                == "key-state boot-state-not-allowed")
        rules = .init()
        rules.keyAlgorithms = [.rsa]
        #expect(
            outcome(try await verdict(Draft().signed(by: key), Self.configuration(rules)))
                == "key-state key-algorithm-not-allowed")
        #expect(
            outcome(try await verdict(Draft().signed(by: key), Self.configuration(packages: ["com.example.other"])))
                == "key-state package-not-allowed")
        // A key of a test authority is none under Google's roots.
        #expect(
            outcome(try await verdict(Draft().signed(by: key), Self.configuration(roots: [])))
                == "key key-of-another-authority")
    }

    @Test("Blocks and accounts", .produces("android-key.request.key", "blocked"))
    func standings() async throws {
        let key = try await enrol(account: "ada")
        #expect(
            outcome(try await verdict(Draft().signed(by: key), account: "eve")) == "account key-of-another-account")
        let strict = try Self.configuration(account: .required)
        #expect(outcome(try await verdict(Draft().signed(by: key), strict)) == "account account-missing")
        try await ledger.block(
            LedgerBlock(
                subject: KeyIdentifier.androidKey(key.keyID).subject, reason: "test", since: Fixtures.time, until: nil))
        #expect(outcome(try await verdict(Draft().signed(by: key), account: "ada")) == "key blocked")
    }

    @Test("Without a ledger a key may come with the request, and the verdict says so")
    func suppliedKey() async throws {
        let key = try AndroidAttestedKey(.p256, seed: "android-key tests", label: "supplied")
        let request = try Draft().signed(by: key)
        let verdict = try await verdict(request, supplied: key.publicKey)
        #expect(outcome(verdict) == "accept")
        #expect(verdict.checks.contains { $0.finding?.code == "key-supplied" })
        let other = try AndroidAttestedKey(.p256, seed: "android-key tests", label: "other")
        #expect(outcome(try await self.verdict(request, supplied: other.publicKey)) == "key key-id-differs")
    }

    @Test("A record gives the same verdict, and orders requests after the attestation of their key")
    func record() async throws {
        let key = try await enrol()
        let request = try Draft().signed(by: key)
        let record = try EvidenceRecord(androidKeyRequest: request, id: "r", receivedAt: Fixtures.time)
        let verifier = try Fixtures.verifier(Self.configuration(), ledger: ledger)
        let verdict = try await verifier.verify(record, at: Fixtures.time)
        #expect(outcome(verdict) == "accept")
        let attestation = EvidenceRecord(try Fixtures.blueprint().mint().input, receivedAt: Fixtures.time)
        let ordering = AndroidKeyEngine.orderingKey(of: record)
        #expect(ordering != nil)
        #expect(AndroidKeyEngine.orderingKey(of: attestation) == ordering)
    }

    @Test("An app without requests in its policy takes none")
    func withoutRules() async throws {
        let key = try AndroidAttestedKey(.p256, seed: "android-key tests", label: "device")
        let configuration = try Self.configuration(requests: nil)
        await #expect(throws: VerificationError.self) {
            _ = try await verdict(Draft().signed(by: key), configuration)
        }
    }
}

/// Other forms of ECDSA signatures on P-256.
enum SignatureDER {
    /// The order of the curve (FIPS 186-5, SP 800-186 section 3.2.1.3).
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6,
        0xFA,
        0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    /// SEQUENCE of two INTEGERs.
    static func sequence(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] {
        func integer(_ bytes: [UInt8]) -> [UInt8] {
            var octets = Array(bytes.drop { $0 == 0 })
            if octets.first.map({ $0 >= 0x80 }) ?? true { octets.insert(0, at: 0) }
            return [0x02, UInt8(octets.count)] + octets
        }
        let content = integer(r) + integer(s)
        return [0x30, UInt8(content.count)] + content
    }

    /// The same r, and the order less s.
    static func otherForm(_ signature: [UInt8]) -> [UInt8] {
        var result = Array(signature.prefix(32)) + order
        var borrow = 0
        for index in (0..<32).reversed() {
            let value = Int(order[index]) - Int(signature[32 + index]) - borrow
            borrow = value < 0 ? 1 : 0
            result[32 + index] = UInt8((value + 256) & 0xFF)
        }
        return result
    }
}
