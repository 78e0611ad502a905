package import AssayCore
import AssayPrimitives
import Crypto

/// The measurements of an app that talks to offline hardware (Approov, Offline Security Mode).
public struct ApproovTestMeasurements: Sendable {
    /// `mpk`: the key of proofs, 16 bytes.
    package var proofKey: [UInt8]?
    /// `imh`: the measurement of the app's integrity, 32 bytes.
    package var integrity: [UInt8]?
    /// `dmh`: the measurement of the device, 32 bytes.
    package var device: [UInt8]?

    /// New random ones.
    public init() {
        func random(_ bits: SymmetricKeySize) -> [UInt8] { SymmetricKey(size: bits).bytes }
        self.init(proofKey: random(.bits128), integrity: random(.bits256), device: random(.bits256))
    }

    /// The measurements that belong to a seed and a label, the same ones every time.
    public init(seed: String, label: String) {
        let bytes = TestBytes(seed: seed)
        self.init(
            proofKey: bytes("approov/mpk/\(label)", count: 16), integrity: bytes("approov/imh/\(label)", count: 32),
            device: bytes("approov/dmh/\(label)", count: 32))
    }

    /// Composes any measurements.
    package init(proofKey: [UInt8]?, integrity: [UInt8]?, device: [UInt8]?) {
        self.proofKey = proofKey
        self.integrity = integrity
        self.device = device
    }

    /// The claims that carry them.
    var claims: [(claim: ApproovClaim, bytes: [UInt8])] {
        let all: [(ApproovClaim, [UInt8]?)] = [
            (.proofKey, proofKey), (.integrityMeasurement, integrity), (.deviceMeasurement, device),
        ]
        return all.compactMap { claim, bytes in bytes.map { (claim, $0) } }
    }

    /// The proof of one measurement: HMAC-SHA-256 under the key of proofs over the nonce and the measurement.
    ///
    /// - Parameters:
    ///   - nonce: what the hardware gave out, 16 bytes.
    ///   - measurement: one of ``integrity`` and ``device``, or any bytes that are none.
    package func proof(nonce: [UInt8], of measurement: [UInt8]) -> [UInt8] {
        AssayPrimitives.HMAC.sha256(key: proofKey ?? [], nonce + measurement)
    }

    /// The measurements as records carry them.
    package var recordContent: RecordValue.Content {
        .object(RecordObject(claims.map { ($0.claim.name, .base64($0.bytes)) }))
    }
}
