package import AssayCore
import AssayPrimitives
import Crypto

/// The measurements of an app that authenticates to offline hardware (Approov, Offline Security Mode).
public struct ApproovTestMeasurements: Sendable {
    /// `mpk`: the proof key, 16 bytes.
    package var proofKey: [UInt8]?
    /// `imh`: the measurement of the app's integrity, 32 bytes.
    package var integrity: [UInt8]?
    /// `dmh`: the measurement of the device, 32 bytes.
    package var device: [UInt8]?

    /// Creates random measurements.
    public init() {
        func random(_ bits: SymmetricKeySize) -> [UInt8] { SymmetricKey(size: bits).bytes }
        self.init(proofKey: random(.bits128), integrity: random(.bits256), device: random(.bits256))
    }

    /// Derives the measurements of a seed and a label. The same arguments always give the same bytes.
    package init(seed: String, label: String) {
        let bytes = TestBytes(seed: seed)
        self.init(
            proofKey: bytes("approov/mpk/\(label)", count: 16), integrity: bytes("approov/imh/\(label)", count: 32),
            device: bytes("approov/dmh/\(label)", count: 32))
    }

    package init(proofKey: [UInt8]?, integrity: [UInt8]?, device: [UInt8]?) {
        (self.proofKey, self.integrity, self.device) = (proofKey, integrity, device)
    }

    /// The claims that carry the measurements.
    var claims: [(claim: ApproovClaim, bytes: [UInt8])] {
        let all: [(ApproovClaim, [UInt8]?)] = [
            (.proofKey, proofKey), (.integrityMeasurement, integrity), (.deviceMeasurement, device),
        ]
        return all.compactMap { claim, bytes in bytes.map { (claim, $0) } }
    }

    /// The proof of a measurement (or other bytes): HMAC-SHA-256 with the proof key over nonce and measurement.
    package func proof(nonce: [UInt8], of measurement: [UInt8]) -> [UInt8] {
        AssayPrimitives.HMAC.sha256(key: proofKey ?? [], nonce + measurement)
    }

    /// The measurements in the form of records.
    package var recordContent: RecordValue.Content {
        .object(RecordObject(claims.map { ($0.claim.name, .base64($0.bytes)) }))
    }
}
