import AssayPrimitives
package import AssayTesting
package import Foundation

/// Vectors for the kits of apps: what an app does with a signed configuration that it receives, and whether it then connects.
/// `Docs/pins.md` has the claims.
package enum ConfigurationVectors {
    /// All vectors, one JSON object on a line. Equal seeds and times give equal bytes.
    package static func text(seed: String, at time: Date) throws(MintingError) -> String {
        let mint = ConfigurationMint(seed: seed, time: Int64(time.timeIntervalSince1970))
        var lines = ""
        let cases = [
            mint.lookUps(), mint.updates(), mint.keyChanges(), mint.forced(), mint.modes(), mint.wrongModes(),
            mint.wrongClaims(), mint.wrongTokens(),
        ]
        for item in cases.flatMap(\.self) { lines += try mint.line(item) + "\n" }
        return lines
    }
}

/// One vector.
struct ConfigurationCase {
    /// Whether an app connects to a host that presents a chain.
    struct Evaluation {
        let host: String
        /// The labels of the keys of the chain, the leaf first.
        let chain: [String]
        /// Seconds after the time of the vectors.
        let seconds: Int64
        let result: String

        init(_ host: String, _ chain: [String], after seconds: Int64 = 0, _ result: String) {
            (self.host, self.chain, self.seconds, self.result) = (host, chain, seconds, result)
        }
    }

    /// What becomes of the configuration that is received.
    enum Result: String {
        case applied
        case ignored
        case refused
    }

    let id: String
    let about: String
    var embedded: ConfigurationBlueprint
    var held: ConfigurationBlueprint?
    var received: ConfigurationBlueprint?
    var result: Result?
    var isForced = false
    var version: Int64
    var mode = "pin"
    /// When the configuration is received, in seconds after the time of the vectors.
    var seconds: Int64 = 0
    var evaluations: [Evaluation] = []
}

/// A configuration to mint: a genuine one, until a part is changed.
struct ConfigurationBlueprint {
    var claims: JSONItem
    var header: JSONItem
    var signer: JWSBlueprint.Signer
    var change: @Sendable (inout JWSBlueprint) -> Void = { _ in }

    func mint() throws(MintingError) -> String {
        var blueprint = JWSBlueprint(payload: claims.encoded, signer: signer)
        blueprint.header = header
        change(&blueprint)
        return try blueprint.mint()
    }
}

/// What all vectors have in common: an app with its first configuration, and the keys of servers.
struct ConfigurationMint {
    typealias Evaluation = ConfigurationCase.Evaluation

    static let device = "yVq3zBGXm2R3mFrJ9b1oJ2QbG0vKqkq3nM0yT7S4y3E="
    static let backend = "backend.example.com"
    static let day: Int64 = 86_400

    let seed: String
    let time: Int64

    func key(_ label: String) -> TestKey { TestKey(.p256, seed: seed, label: "configuration/\(label)") }

    func keyID(_ label: String) -> String { JWKThumbprint.p256(key(label).publicPoint) }

    func publicKey(_ label: String) -> JSONItem {
        let (x, y) = JWKThumbprint.coordinates(key(label).publicPoint)
        return [
            "kty": "EC", "crv": "P-256", "x": .text(x), "y": .text(y), "use": "sig", "alg": "ES256",
            "kid": .text(keyID(label)),
        ]
    }

    func pin(_ label: String, from start: Int64? = nil, to end: Int64? = nil) -> JSONItem {
        var pin: JSONItem = [
            "pin": .text(Base64.encode(Digest.sha256(key(label).subjectPublicKeyInfo()[...]), .standard))
        ]
        if let start { pin["notBefore"] = .integer(time + start) }
        if let end { pin["notAfter"] = .integer(time + end) }
        return pin
    }

    /// The pins of the first configuration.
    var pins: JSONItem {
        [
            "api.example.com": [pin("leaf")], "both.example.com": [pin("leaf"), pin("next-leaf")],
            "authority.example.com": [pin("authority")], "cdn.example.com": [],
            "window.example.com": [pin("leaf", from: 0, to: 3600)],
            "start.example.com": [pin("leaf"), pin("next-leaf", from: 3600)],
        ]
    }

    /// A genuine configuration.
    ///
    /// - Parameters:
    ///   - keys: the labels of the keys in it.
    ///   - signer: the label of the key that signs.
    ///   - change: changes claims.
    func configuration(
        _ version: Int64, force: Int64 = 0, keys: [String] = ["first"], by signer: String = "first",
        _ change: (inout JSONItem) -> Void = { _ in }
    ) -> ConfigurationBlueprint {
        var claims: JSONItem = [
            "iss": "https://attest.example.com", "aud": "shop", "iat": .integer(time), "version": .integer(version),
            "force": .integer(force), "pins": pins, "keys": .array(keys.map(publicKey)),
        ]
        change(&claims)
        return ConfigurationBlueprint(
            claims: claims,
            header: ["alg": "ES256", "kid": .text(keyID(signer)), "typ": "assay-configuration+jwt"],
            signer: .es256(key(signer)))
    }

    /// A configuration with a mode of the device, for an hour.
    func mode(
        _ mode: String, _ version: Int64 = 1, until end: Int64 = 3600, _ change: (inout JSONItem) -> Void = { _ in }
    )
        -> ConfigurationBlueprint
    {
        configuration(version) { claims in
            claims["mode"] = .text(mode)
            claims["did"] = .text(Self.device)
            claims["exp"] = .integer(time + end)
            change(&claims)
        }
    }

    /// A vector in which an app with the first configuration receives another one.
    func received(
        _ id: String, _ about: String, _ received: ConfigurationBlueprint, _ result: ConfigurationCase.Result,
        version: Int64? = nil, held: ConfigurationBlueprint? = nil, _ evaluations: [Evaluation] = []
    ) -> ConfigurationCase {
        ConfigurationCase(
            id: id, about: about, embedded: configuration(1), held: held, received: received, result: result,
            version: version ?? 1, evaluations: evaluations)
    }

    func line(_ item: ConfigurationCase) throws(MintingError) -> String {
        func text(_ blueprint: ConfigurationBlueprint?) throws(MintingError) -> JSONItem {
            guard let blueprint else { return .null }
            return .text(try blueprint.mint())
        }
        let evaluations = item.evaluations.map { evaluation -> JSONItem in
            [
                "host": .text(evaluation.host),
                "spki": .array(
                    evaluation.chain.map { .text(Base64.encode(key($0).subjectPublicKeyInfo(), .standard)) }),
                "now": .integer(time + evaluation.seconds), "result": .text(evaluation.result),
            ]
        }
        let line: JSONItem = [
            "id": .text(item.id), "about": .text(item.about), "backend": .text(Self.backend), "did": .text(Self.device),
            "embedded": try text(item.embedded), "held": try text(item.held), "received": try text(item.received),
            "now": .integer(time + item.seconds), "result": item.result.map { .text($0.rawValue) } ?? .null,
            "forced": .flag(item.isForced), "version": .integer(item.version), "mode": .text(item.mode),
            "evaluations": .array(evaluations),
        ]
        return line.text
    }
}
