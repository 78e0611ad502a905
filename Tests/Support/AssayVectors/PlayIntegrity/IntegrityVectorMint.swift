import AssayCore
import AssayPrimitives
import AssayTesting
package import FoundationEssentials

/// The shared inputs of all vectors: one app with its keys and one time. Each vector has its own nonce.
package struct IntegrityVectorMint {
    static let app = "vectors"
    static let packageName = "com.example.vectors"
    static let otherPackageName = "com.example.other"

    let bytes: TestBytes
    /// The time of receipt.
    let time: Date
    /// Both keys are live.
    let current: PlayIntegrityTestKeys
    let previous: PlayIntegrityTestKeys
    /// Keys outside their windows.
    let expired: PlayIntegrityTestKeys
    let pending: PlayIntegrityTestKeys
    /// The key of another app, and a key of an attacker.
    let otherApp: PlayIntegrityTestKeys
    let attacker: PlayIntegrityTestKeys

    package init(seed: String, time: Date) {
        bytes = TestBytes(seed: seed)
        self.time = time
        func keys(_ label: String) -> PlayIntegrityTestKeys { PlayIntegrityTestKeys(seed: seed, label: label) }
        current = keys("current")
        previous = keys("previous")
        expired = keys("expired")
        pending = keys("pending")
        otherApp = keys("other-app")
        attacker = keys("attacker")
    }

    /// Two seconds before the receipt.
    var issuedAt: Date { time.addingTimeInterval(-2) }

    /// The digests of the app's two signing certificates.
    var digests: [[UInt8]] { [digest("upload"), digest("rotated")] }

    func digest(_ label: String) -> [UInt8] { Digest.sha256(Array("certificate \(label)".utf8)) }

    func nonce(_ id: String) -> [UInt8] { bytes("nonce/\(id)", count: 24) }

    /// A digest of the request, as apps compute it.
    func requestHash(_ id: String) -> String { Base64URL.text(bytes("request/\(id)", count: 32)) }

    /// A time a number of milliseconds after the receipt, as tokens carry it.
    func milliseconds(_ offset: Int64) -> JSONItem { .text(String(Int64(time.timeIntervalSince1970) * 1000 + offset)) }

    func classic(_ id: String) -> ClassicTokenBlueprint {
        var blueprint = ClassicTokenBlueprint(
            keys: current, packageName: Self.packageName, nonce: nonce(id), certificateDigests: [digests[0]],
            issuedAt: issuedAt)
        blueprint.contentKey = bytes("content-key/\(id)", count: 32)
        blueprint.initializationVector = bytes("iv/\(id)", count: 12)
        return blueprint
    }

    func standard(_ id: String) -> StandardAnswerBlueprint {
        StandardAnswerBlueprint(
            packageName: Self.packageName, requestHash: requestHash(id), certificateDigests: [digests[0]],
            issuedAt: issuedAt)
    }

    func pc(_ id: String) -> StandardAnswerBlueprint {
        StandardAnswerBlueprint(pcPackageName: Self.packageName, requestHash: requestHash(id), issuedAt: issuedAt)
    }
}
