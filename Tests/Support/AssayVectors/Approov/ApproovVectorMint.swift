import AssayCore
import AssayPrimitives
package import AssayTesting
package import FoundationEssentials

/// What all vectors have in common: one account and its keys, one time, and IVs of its own for each.
package struct ApproovVectorMint {
    static let targetURI = "https://api.example.com/v1/items?a=1&b=2"

    let seed: String
    let bytes: TestBytes
    /// When evidence is received.
    let time: Date
    /// Both are live.
    let current: ApproovTestKeys
    let previous: ApproovTestKeys
    /// Outside of their windows.
    let expired: ApproovTestKeys
    let pending: ApproovTestKeys
    /// That of another API, and one that nobody knows.
    let otherAPI: ApproovTestKeys
    let attacker: ApproovTestKeys
    let measurements: ApproovTestMeasurements
    /// The key of offline hardware.
    let hardware: TestKey

    package init(seed: String, time: Date) throws(MintingError) {
        self.seed = seed
        bytes = TestBytes(seed: seed)
        self.time = time
        func keys(_ label: String) throws(MintingError) -> ApproovTestKeys {
            try ApproovTestKeys(seed: seed, label: label)
        }
        current = try keys("current")
        previous = try keys("previous")
        expired = try keys("expired")
        pending = try keys("pending")
        otherAPI = try keys("other-api")
        attacker = try keys("attacker")
        measurements = ApproovTestMeasurements(seed: seed, label: "vectors")
        hardware = TestKey(.p256, seed: seed, label: "approov/hardware")
    }

    /// As apps get them: four minutes are left.
    var expiresAt: Date { time.addingTimeInterval(240) }

    /// A time so many seconds after the evidence is received, as tokens carry it.
    func seconds(_ offset: Int64) -> JSONItem { .number("\(Int64(time.timeIntervalSince1970) + offset)") }

    /// A code of its own for each token, so that no message is a replay of another one.
    private func responseCode(_ id: String) -> String {
        String(bytes("arc/\(id)", count: 8).map { Character(Unicode.Scalar(UInt8(ascii: "A") + $0 % 26)) })
    }

    /// A genuine token, which also allows its app to sign messages.
    func token(_ id: String) -> ApproovTokenBlueprint {
        var claims = ApproovClaimsBlueprint(
            expiresAt: expiresAt, deviceID: Data(bytes("device", count: 16)).base64EncodedString(),
            responseCode: responseCode(id))
        claims.allowMessages(with: current)
        var blueprint = ApproovTokenBlueprint(keys: current, claims: claims)
        blueprint.contentKey = bytes("content-key/\(id)", count: 32)
        blueprint.initializationVectors = (bytes("key-iv/\(id)", count: 12), bytes("iv/\(id)", count: 12))
        return blueprint
    }

    /// A genuine message, signed two seconds before it is received.
    func message(_ token: String, _ signer: ApproovMessageBlueprint.Signer) -> ApproovMessageBlueprint {
        ApproovMessageBlueprint(
            method: "GET", targetURI: Self.targetURI, token: token, signer: signer,
            createdAt: time.addingTimeInterval(-2))
    }

    /// What offline hardware gave out.
    func nonce(_ id: String) -> [UInt8] { bytes("nonce/\(id)", count: 16) }
}
