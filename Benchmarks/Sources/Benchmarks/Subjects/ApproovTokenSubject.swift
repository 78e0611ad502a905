import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

/// Tokens as Approov makes them, the account's keys, and what they are held against.
struct ApproovTokenSubject: Sendable {
    let form: ApproovTokenBlueprint.Form
    let testKeys: ApproovTestKeys
    /// Several, so that no answer can be one that was given before.
    let tokens: [String]
    let now: Date
    private var inputs: [ApproovTokenInput]
    private let keys: [NamedKey]
    private let expectations: ApproovExpectations
    private let verifier: Verifier

    /// Mints tokens that live for a day from now: the implementations that they are compared with ask the clock.
    init(now: Date, form: ApproovTokenBlueprint.Form = .signed) throws {
        self.now = now
        self.form = form
        let testKeys = try ApproovTestKeys(seed: "benchmark", label: "tokens")
        self.testKeys = testKeys
        tokens = try (0..<64).map { try Self.blueprint(testKeys, form, device: $0, now).mint().token }
        inputs = tokens.map { ApproovTokenInput(token: $0) }
        let parts =
            switch form {
            case .signedES256: ["publicKey": testKeys.signingKeyFile]
            case .signedRS256: ["publicKey": testKeys.rsaKeyFile]
            case .signed, .encrypted: ["secret": testKeys.secretFile]
            }
        let material = try ApproovKey.reading(parts.mapValues { SecretBytes(Array($0.utf8)) })
        keys = [NamedKey(name: "benchmark", scope: "benchmark", material: material)]
        var settings = ApproovConfiguration.Settings()
        if case .encrypted = form { settings.format = .jwe }
        let configuration = try ApproovConfiguration(settings)
        let policy = try VerificationPolicy(
            apps: [PolicyApp(name: "benchmark", configuration)], keys: keys, catalogue: ApproovEngine.catalogue)
        expectations = ApproovExpectations(app: "benchmark", configuration: configuration, modes: policy.modes)
        verifier = Verifier(policy: policy, ledger: MemoryLedger())
    }

    private static func blueprint(
        _ keys: ApproovTestKeys, _ form: ApproovTokenBlueprint.Form, device: UInt8, _ now: Date
    ) -> ApproovTokenBlueprint {
        let deviceID = Base64.encode([UInt8](repeating: device, count: 16), .standard)
        let expiry = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded() + 86_400)
        var blueprint = ApproovTokenBlueprint(
            keys: keys, claims: ApproovClaimsBlueprint(expiresAt: expiry, deviceID: deviceID))
        blueprint.form = form
        return blueprint
    }

    /// Tokens under the same keys that ours refuses, and what is wrong with them.
    func refused() throws -> [(name: String, token: String)] {
        var twice = Self.blueprint(testKeys, form, device: 0, now)
        twice.changeClaims = { Array(#"{"exp":1,"#.utf8) + $0.dropFirst() }
        // The last character carries bits that stand for nothing.
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let last = alphabet.firstIndex(of: tokens[0].last ?? "A") ?? 0
        let variants = [
            ("a claim that comes twice", try twice.mint().token), ("padding after the last part", tokens[0] + "=="),
            ("a last character with other unused bits", tokens[0].dropLast() + String(alphabet[(last + 1) % 64])),
        ]
        for (name, token) in variants {
            let assessment = ApproovTokenAssessor.assess(
                ApproovTokenInput(token: token), keys: keys, standings: { _ in [] }, expectations: expectations,
                now: now)
            require(!assessment.isAcceptable, "a token with \(name) holds")
        }
        return variants
    }

    /// The same, with tokens in memory of their own.
    func copied() -> ApproovTokenSubject {
        var copy = self
        copy.inputs = tokens.map { ApproovTokenInput(token: String(decoding: Array($0.utf8), as: UTF8.self)) }
        return copy
    }

    /// Judges tokens, without a ledger and with keys that are at hand.
    @Sendable func assess(_ count: Int) {
        for index in 0..<count {
            let assessment = ApproovTokenAssessor.assess(
                inputs[index % inputs.count], keys: keys, standings: { _ in [] }, expectations: expectations, now: now)
            require(assessment.isAcceptable, "the Approov token does not hold: \(assessment.checks)")
        }
    }

    /// All that a server does: keys looked up, the ledger asked, a verdict.
    @Sendable func verify(_ count: Int) async {
        for index in 0..<count {
            do {
                let verdict = try await verifier.verify(inputs[index % inputs.count], at: now)
                require(verdict.outcome == .accept, "the Approov token is rejected")
            } catch {
                stop("\(error)")
            }
        }
    }
}
