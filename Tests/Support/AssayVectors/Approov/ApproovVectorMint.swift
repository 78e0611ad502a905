import AssayCore
import AssayPrimitives
package import AssayTesting
package import FoundationEssentials

/// The shared inputs of all vectors: one account with its keys and one time. Each vector has its own IVs.
package struct ApproovVectorMint {
    static let targetURI = "https://api.example.com/v1/items?a=1&b=2"

    let seed: String
    let bytes: TestBytes
    /// The time of receipt.
    let time: Date
    /// Both keys are live.
    let current: ApproovTestKeys
    let previous: ApproovTestKeys
    /// Keys outside their windows.
    let expired: ApproovTestKeys
    let pending: ApproovTestKeys
    /// The key of another API, and a key of an attacker.
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

    /// The expiry of an app's token: four minutes are left.
    var expiresAt: Date { time.addingTimeInterval(240) }

    /// A time a number of seconds after the receipt, as tokens carry it.
    func seconds(_ offset: Int64) -> JSONItem { .number("\(Int64(time.timeIntervalSince1970) + offset)") }

    /// A unique code for each token, so that no message repeats another one.
    private func responseCode(_ id: String) -> String {
        String(bytes("arc/\(id)", count: 8).map { Character(Unicode.Scalar(UInt8(ascii: "A") + $0 % 26)) })
    }

    /// A genuine token that allows its app to sign messages.
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

    /// A genuine message, signed two seconds before its receipt.
    func message(_ token: String, _ signer: ApproovMessageBlueprint.Signer) -> ApproovMessageBlueprint {
        ApproovMessageBlueprint(
            method: "GET", targetURI: Self.targetURI, token: token, signer: signer,
            createdAt: time.addingTimeInterval(-2))
    }

    /// A nonce issued by offline hardware.
    func nonce(_ id: String) -> [UInt8] { bytes("nonce/\(id)", count: 16) }
}
