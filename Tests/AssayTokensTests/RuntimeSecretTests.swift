import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import AssayTokens
import Foundation
import Testing

/// Runtime secrets: only genuine evidence that covers challenge, names and key gives them, and only the client opens them.
struct RuntimeSecretTests {
    private static let client = TestKey(.p256, seed: "secret tests", label: "client")
    private static let now = TokenWorld.now
    private static let secrets = ["maps": "AIza-maps", "lines": "one\ntwo\r\n\u{1}\"\\\u{1F600}", "old": "expired"]

    private static func world(
        _ rules: String = "testAuthorities: allow", hasClassicKeys: Bool = false, hasSecrets: Bool = true
    ) async throws -> EvidenceWorld {
        let world = try await EvidenceWorld(
            tokens: "testAuthorities: allow }\n    secrets: { names: [maps, lines, old, sealing, absent], \(rules)",
            hasClassicKeys: hasClassicKeys)
        guard hasSecrets else { return world }
        for (name, value) in secrets {
            let window = KeyWindow(notBefore: nil, notAfter: name == "old" ? now.addingTimeInterval(-1) : nil)
            try await add(world, name, value, window)
        }
        try await add(world, "sealing", Base64.encode([UInt8](repeating: 7, count: 32), .standard), mode: "derive")
        try await add(world, "foreign", "of another app", app: "other")
        return world
    }

    private static func add(
        _ world: EvidenceWorld, _ name: String, _ value: String, _ window: KeyWindow = .always, mode: String = "text",
        app: String? = "shop", as key: String? = nil
    ) async throws {
        try await world.store.add(
            key ?? "\(name) \(app ?? "")", for: RuntimeSecret.purpose,
            parts: [
                "secretName": SecretBytes(Array(name.utf8)), "value": SecretBytes(Array(value.utf8)),
                "mode": SecretBytes(Array(mode.utf8)),
            ], scope: app, window: window, at: now)
    }

    /// Evidence that can be made again and again: it enrols nothing.
    private static let repeatable = EvidenceRuleTests.cases.first {
        $0.kind == .playIntegrityClassic && $0.voucher == .google
    }

    /// What a request gets: the opened content, or the code of the refusal.
    private struct Answer {
        var content: [String: Any] = [:]
        var code = ""
        var expiresIn = 0
        var values: [String: String] { content["secrets"] as? [String: String] ?? [:] }
    }

    private static func ask(
        _ world: EvidenceWorld, _ names: [String], evidence: EvidenceRuleTests.Case = EvidenceRuleTests.cases[0],
        covering: [String]? = nil, key: TestKey = client, challenge: String? = nil, at time: Date = now
    ) async throws -> Answer {
        let issued = try await world.binding(evidence.kind, client: client)
        let derived = SecretRequest.evidenceChallenge(
            issued.challengeText, names: covering ?? names, keyThumbprint: JWKThumbprint.p256(client.publicPoint))
        let record = try await evidence.make(world, .init(challengeText: issued.challengeText, derived: derived))
        return try await ask(
            world,
            SecretRequest(
                record: record, challenge: challenge ?? issued.challengeText, names: names, publicKey: key.publicPoint),
            at: time)
    }

    private static func ask(_ world: EvidenceWorld, _ request: SecretRequest, at time: Date = now) async throws
        -> Answer
    {
        do {
            switch try await world.verifier.deliverSecrets(request, at: time) {
            case .rejected(let verdict, let code):
                #expect(verdict.outcome == .reject && code?.utf8.count == 8, "\(code ?? "")")
                return Answer(code: "rejected")
            case .sealed(let text, let expiresIn, let verdict):
                #expect(verdict.outcome == .accept)
                let body = client.pem.split(separator: "\n").dropFirst().dropLast().joined()
                let key = try AgreementPrivateKey(privateKeyInfo: SecretBytes(Base64.decode(body, .standard)))
                let content = try JWEKey.ecdhES(key).decrypt(CompactJWE(Array(text.utf8), limit: 1 << 20))
                let object = try JSONSerialization.jsonObject(with: Data(content)) as? [String: Any]
                #expect(object?["challenge"] as? String == request.challenge && object?["app"] as? String == "shop")
                return Answer(content: object ?? [:], expiresIn: expiresIn)
            }
        } catch VerificationError.request(let error) {
            for value in secrets.values { #expect(!error.message.contains(value)) }
            return Answer(code: error.code)
        }
    }

    @Test("A backend composes a request with a point of P-256 alone")
    func publicKey() throws {
        let record = EvidenceRecord(
            id: nil, kind: .assayToken, app: nil, receivedAt: nil, evidence: RecordObject([]), expect: nil)
        func compose(_ point: [UInt8]) throws -> SecretRequest {
            try SecretRequest(record: record, challenge: "c", names: ["maps"], x963Representation: point)
        }
        let point = Self.client.publicPoint
        #expect(try compose(point).publicKey == point)
        for wrong in [[], Array(point.dropLast()), [4] + [UInt8](repeating: 1, count: 64), [2] + point.dropFirst()] {
            #expect(throws: DecodeError.self) { try compose(wrong) }
        }
    }

    @Test("Only evidence that a platform stands for gives secrets", arguments: EvidenceRuleTests.cases)
    func kinds(_ evidence: EvidenceRuleTests.Case) async throws {
        let isGoogle = evidence.voucher == .google
        for rule in ["allow", "refuse"] {
            let world = try await Self.world("testAuthorities: \(rule)", hasClassicKeys: isGoogle)
            let answer = try await Self.ask(world, ["maps"], evidence: evidence)
            switch evidence.voucher {
            case .google: #expect(answer.values == ["maps": "AIza-maps"], "\(rule) \(answer)")
            case .testAuthority where rule == "allow": #expect(answer.values == ["maps": "AIza-maps"], "\(answer)")
            case .testAuthority, .caller, .client, .none:
                #expect(answer.code == "not-exchangeable", "\(rule) \(answer)")
            }
        }
    }

    @Test("The evidence covers challenge, names, their order and the key, and counts once")
    func binding() async throws {
        let world = try await Self.world()
        let thief = TestKey(.p256, seed: "secret tests", label: "thief")
        let unbound = [
            try await Self.ask(world, ["maps"], covering: ["lines"]),
            try await Self.ask(world, ["maps", "lines"], covering: ["lines", "maps"]),
            try await Self.ask(world, ["maps", "lines"], covering: ["maps"]),
            try await Self.ask(world, ["maps"], key: thief),
            try await Self.ask(world, ["maps"], challenge: Base64.encode([UInt8](repeating: 1, count: 32), .url)),
            try await Self.ask(world, ["maps"], challenge: "short"),
            try await Self.ask(world, ["maps"], challenge: "\n"),
        ]
        for answer in unbound { #expect(answer.code == "evidence-not-bound", "\(answer)") }

        let issued = try await world.binding(.appAttestAttestation, client: nil)
        let derived = SecretRequest.evidenceChallenge(
            issued.challengeText, names: ["maps"], keyThumbprint: JWKThumbprint.p256(Self.client.publicPoint))
        let record = try world.attestation(.init(challengeText: issued.challengeText, derived: derived))
        func request(_ names: [String]) -> SecretRequest {
            SecretRequest(
                record: record, challenge: issued.challengeText, names: names, publicKey: Self.client.publicPoint)
        }
        // What is refused uses nothing up.
        #expect(try await Self.ask(world, request(["none"])).code == "evidence-not-bound")
        #expect(try await Self.ask(world, request(["maps"])).values == ["maps": "AIza-maps"])
        #expect(try await Self.ask(world, request(["maps"])).code == "rejected")
        // A token's evidence is none for secrets, and the other way about.
        let token = try await world.binding(.appAttestAttestation, client: Self.client)
        let other = SecretRequest(
            record: try world.attestation(token), challenge: token.challengeText, names: ["maps"],
            publicKey: Self.client.publicPoint)
        #expect(try await Self.ask(world, other).code == "evidence-not-bound")
    }

    @Test(
        "Names: BAD_KEY for what no name can be, UNKNOWN_KEY for what the app has not, without the use of the evidence")
    func names() async throws {
        let world = try await Self.world()
        let long = String(repeating: "n", count: 65)
        for names in [
            [], [""], [long], ["a b"], ["a,b"], ["a\nb"], ["a\0"], ["\u{E9}"], ["a\"b"], ["maps", "maps"],
            (0..<17).map { "n\($0)" },
        ] {
            #expect(try await Self.ask(world, names).code == "invalid-secret-name", "\(names)")
        }
        // Not in the policy, without a value, expired, of another app.
        for name in ["none", "absent", "old", "foreign", String(long.dropLast())] {
            #expect(try await Self.ask(world, ["maps", name]).code == "unknown-secret", "\(name)")
        }
        let disabled = try await Self.world("testAuthorities: allow, enabled: no")
        #expect(try await Self.ask(disabled, ["maps"]).code == "secrets-disabled")
        #expect(try await Self.ask(disabled, [""]).code == "invalid-secret-name")
    }

    @Test("Values come as they were added, with any line ends and signs in them, and the newest counts")
    func values() async throws {
        let evidence = try #require(Self.repeatable)
        let world = try await Self.world(hasClassicKeys: true)
        let answer = try await Self.ask(world, ["lines", "maps"], evidence: evidence)
        // One line end at the end belongs to the file.
        #expect(answer.values == ["maps": "AIza-maps", "lines": Self.secrets["lines"] ?? ""], "\(answer)")
        try await Self.add(
            world, "maps", "newer\n", KeyWindow(notBefore: Self.now.addingTimeInterval(-5), notAfter: nil), app: nil,
            as: "for all")
        #expect(
            try await Self.ask(world, ["maps"], evidence: evidence).values == ["maps": "AIza-maps"],
            "its own comes first")
        try await Self.add(
            world, "maps", "newest\r\n", KeyWindow(notBefore: Self.now.addingTimeInterval(10), notAfter: nil),
            as: "next")
        #expect(try await Self.ask(world, ["maps"], evidence: evidence).values == ["maps": "AIza-maps"])
        #expect(
            try await Self.ask(world, ["maps"], evidence: evidence, at: Self.now.addingTimeInterval(10)).values == [
                "maps": "newest"
            ])
    }

    @Test("The life is that of the policy, and ends with the secret")
    func life() async throws {
        let evidence = try #require(Self.repeatable)
        let world = try await Self.world("life: 2h", hasClassicKeys: true)
        let plain = try await Self.ask(world, ["maps"], evidence: evidence)
        #expect(plain.expiresIn == 7200)
        #expect((plain.content["exp"] as? Int ?? 0) - (plain.content["iat"] as? Int ?? 0) == 7200)
        try await world.store.retire("maps shop", at: Self.now.addingTimeInterval(60), now: Self.now)
        #expect(try await Self.ask(world, ["lines", "maps"], evidence: evidence).expiresIn == 60)
        let late = try await Self.ask(world, ["maps"], evidence: evidence, at: Self.now.addingTimeInterval(60))
        #expect(late.code == "unknown-secret", "\(late)")
    }

    @Test("A derived value belongs to app, name and device, and is the same each time")
    func derived() async throws {
        let world = try await Self.world()
        let first = try await Self.ask(world, ["sealing"])
        let value = try #require(first.values["sealing"], "\(first)")
        #expect(try Base64.decode(value, .url).count == 32)
        #expect(
            try await Self.ask(Self.world(), ["sealing"], evidence: EvidenceRuleTests.cases[1]).values == first.values)
        let android = EvidenceRuleTests.cases.first { $0.kind == .androidKeyAttestation }
        #expect(try await Self.ask(world, ["sealing"], evidence: #require(android)).values["sealing"] != value)
        // RFC 5869 with the parts of `info` after their lengths.
        let master = SecretBytes([UInt8](repeating: 7, count: 32))
        let device = LedgerSubject(.key, "k")
        let secret = try RuntimeSecret(parts: [
            "secretName": SecretBytes(Array("n".utf8)), "mode": SecretBytes(Array("derive".utf8)),
            "value": SecretBytes(Array(Base64.encode([UInt8](repeating: 7, count: 32), .standard).utf8)),
        ])
        let expected = KeyDerivation.hkdf(
            master, salt: Array("assay runtime secret".utf8), info: Array("4 shop 1 n 3 key 1 k".utf8), count: 32)
        func bytes(_ secret: SecretBytes?) -> [UInt8] { secret?.withUnsafeBytes { Array($0) } ?? [] }
        #expect(bytes(secret.value(for: device, app: "shop")) == Array(Base64.encode(bytes(expected), .url).utf8))
        #expect(secret.value(for: nil, app: "shop") == nil)
        for (app, other) in [
            ("shop2", device), ("shop", LedgerSubject(.key, "k2")), ("shop", LedgerSubject(.device, "k")),
        ] {
            #expect(bytes(secret.value(for: other, app: app)) != bytes(secret.value(for: device, app: "shop")))
        }
        // Play Integrity names no device.
        let google = try await Self.world(hasClassicKeys: true)
        #expect(try await Self.ask(google, ["sealing"], evidence: #require(Self.repeatable)).code == "not-exchangeable")
    }

    @Test("HKDF: the first case of RFC 5869, appendix A")
    func hkdf() throws {
        let output = KeyDerivation.hkdf(
            SecretBytes([UInt8](repeating: 0x0B, count: 22)), salt: [UInt8](0x00...0x0C), info: [UInt8](0xF0...0xF9),
            count: 42)
        #expect(
            output.withUnsafeBytes { Array($0) }.hexadecimal
                == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
    }

    @Test("Values that no secret can have: empty, too long, with NUL, no UTF-8; the error has none of the value")
    func badValues() throws {
        let table: [(value: [UInt8], mode: String)] = [
            ([], "text"), (Array("\n".utf8), "text"), (Array("\r\n".utf8), "text"), (Array("sec\0ret".utf8), "text"),
            ([0x73, 0x65, 0xFF], "text"), ([UInt8](repeating: 0x61, count: 4097), "text"),
            (Array("secret".utf8), "derive"), (Array("secret".utf8), "other"),
            (Array(Base64.encode([UInt8](repeating: 7, count: 31), .standard).utf8), "derive"),
        ]
        for entry in table {
            let error = #expect(throws: KeyError.self) {
                try RuntimeSecret.reading([
                    "secretName": SecretBytes(Array("name".utf8)), "value": SecretBytes(entry.value),
                    "mode": SecretBytes(Array(entry.mode.utf8)),
                ])
            }
            #expect(error.map { !$0.description.contains("sec") || $0.description.contains("secretName") } ?? false)
        }
        let longest = [UInt8](repeating: 0x61, count: 4096)
        _ = try RuntimeSecret.reading([
            "secretName": SecretBytes(Array("name".utf8)), "value": SecretBytes(longest + Array("\r\n".utf8)),
        ])
    }
}
