import Assay
import AssayPrimitives
import Foundation

/// Tokens as Approov signs them, the account's secret, and what they are held against.
struct ApproovTokenSubject: Sendable {
    let secret: [UInt8]
    /// Several, so that no answer can be one that was given before.
    let tokens: [String]
    let now: Date
    private(set) var inputs: [ApproovTokenInput]
    private let keys: [NamedKey]
    private let expectations: ApproovExpectations
    private let verifier: Verifier

    /// Signs tokens that live for a day from now: the implementations that they are compared with ask the clock.
    init(now: Date) throws {
        self.now = now
        let secret = (0..<64).map { UInt8($0 * 3 + 1) }
        self.secret = secret
        tokens = (0..<64).map { index in Self.token(secret, device: UInt8(index), expiry: now + 86_400) }
        inputs = tokens.map { ApproovTokenInput(token: $0) }
        let material = try ApproovKey.reading(["secret": SecretBytes(Array(Base64.encode(secret, .standard).utf8))])
        keys = [NamedKey(name: "benchmark", scope: "benchmark", material: material)]
        let configuration = try ApproovConfiguration()
        let policy = try Policy(
            apps: [PolicyApp(name: "benchmark", configuration)], keys: keys, catalogue: ApproovEngine.catalogue)
        expectations = ApproovExpectations(app: "benchmark", configuration: configuration, modes: policy.modes)
        verifier = Verifier(policy: policy, ledger: MemoryLedger())
    }

    /// The same, with tokens in memory of their own.
    func copied() -> ApproovTokenSubject {
        var copy = self
        copy.inputs = tokens.map { ApproovTokenInput(token: String(decoding: Array($0.utf8), as: UTF8.self)) }
        return copy
    }

    /// - Parameter more: further claims, each with a comma in front.
    static func token(_ secret: [UInt8], device: UInt8, expiry: Date, more: String = "") -> String {
        let deviceID = Base64.encode([UInt8](repeating: device, count: 16), .standard)
        let claims =
            #"{"did":"\#(deviceID)","exp":\#(Int(expiry.timeIntervalSince1970)),"ip":"203.0.113.7","arc":"ABCDEF"\#(more)}"#
        let header = Base64.encode(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8), .url)
        let input = "\(header).\(Base64.encode(Array(claims.utf8), .url))"
        return "\(input).\(Base64.encode(HMAC.sha256(key: secret, Array(input.utf8)), .url))"
    }

    /// Judges tokens, without a ledger and with keys that are at hand.
    @Sendable func assess(_ count: Int) {
        for index in 0..<count {
            let assessment = ApproovTokenAssessor.assess(
                inputs[index % inputs.count], keys: keys, standings: { _ in [] }, expectations: expectations, now: now)
            demand(assessment.holds, "the Approov token does not hold")
        }
    }

    /// All that a server does: keys looked up, the ledger asked, a verdict.
    @Sendable func verify(_ count: Int) async {
        for index in 0..<count {
            do {
                let verdict = try await verifier.verifyApproovToken(inputs[index % inputs.count], at: now)
                demand(verdict.outcome == .accept, "the Approov token is rejected")
            } catch {
                stop("\(error)")
            }
        }
    }
}
