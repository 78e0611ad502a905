import AssayCore
import AssayPrimitives
package import AssayTesting
import Crypto
package import FoundationEssentials

/// What all vectors of tokens have in common: one issuer, one app, one time, and a client's key for each.
package struct TokenVectorMint {
    static let app = "vectors"
    static let issuer = "https://attest.example.com"
    static let audience = "https://api.example.com"

    let seed: String
    let time: Date
    /// The issuer's key, and one that is published and signs later.
    package let key: TestKey
    let next: TestKey
    private let secret: [UInt8]

    package init(seed: String, time: Date) {
        self.seed = seed
        self.time = time
        func key(_ label: String) -> TestKey { TestKey(.p256, seed: seed, label: "tokens/\(label)") }
        self.key = key("current")
        next = key("next")
        secret = TestBytes(seed: seed)("tokens/subjects", count: 32)
    }

    var secretText: String { Data(secret).base64EncodedString() + "\n" }

    func client(_ id: String) -> TestKey { TestKey(.p256, seed: seed, label: "tokens/client/\(id)") }

    /// A time so many seconds after the evidence is received.
    func seconds(_ offset: Int64) -> JSONItem { .integer(Int64(time.timeIntervalSince1970) + offset) }

    /// The nonce of the server at a time so many seconds after the evidence is received.
    func nonce(_ offset: Double) -> String {
        let derived = HMAC<SHA256>.authenticationCode(
            for: Array("assay token nonce".utf8), using: SymmetricKey(data: secret))
        let number = Int64(((time.timeIntervalSince1970 + offset) / 120).rounded(.down))
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("\(number)".utf8), using: SymmetricKey(data: Array(derived)))
        return Base64.encode(Array(code.prefix(16)), .url)
    }

    func blueprint(_ id: String) -> AssayTokenBlueprint {
        AssayTokenBlueprint(
            key: key, client: client(id), issuer: Self.issuer, audience: Self.audience, app: Self.app, id: id,
            issuedAt: time)
    }

    /// A request that differs from a genuine one in one respect.
    ///
    /// - Parameter source: the name of the record whose token and client it has; nil for its own.
    package func token(
        _ id: String, _ outcome: VectorOutcome, of source: String? = nil, account: String? = nil,
        delay: TimeInterval = 0,
        change: @escaping (inout AssayTokenBlueprint) throws -> Void = { _ in }
    ) -> VectorCase {
        {
            var blueprint = blueprint(source ?? id)
            try change(&blueprint)
            return try blueprint.mint().record(
                id: id, app: Self.app, account: account, receivedAt: time.addingTimeInterval(delay),
                expect: outcome.expectation("assay.token"))
        }
    }
}
