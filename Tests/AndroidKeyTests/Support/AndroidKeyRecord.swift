import AndroidKey
import Assay
import AssayCore
import AssayInspection
import AssayPrimitives
import Foundation

/// Records of chains whose challenge and time are not known.
enum AndroidKeyRecord {
    /// The record of a chain with the challenge that it certifies, as inspection composes it; a chain without one gets any.
    static func withOwnChallenge(_ chain: [[UInt8]]) -> EvidenceRecord? {
        let pem = chain.map { der in
            "-----BEGIN CERTIFICATE-----\n\(Data(der).base64EncodedString())\n-----END CERTIFICATE-----\n"
        }.joined()
        let format = AndroidKeyEngine.formats.first { AndroidKeyEngine.kind(of: $0) == .androidKeyAttestation }
        let found = format.flatMap { AndroidKeyEngine.record(of: Array(pem.utf8), format: $0) }
        return found
            ?? EvidenceRecord(
                KeyAttestationInput(certificates: chain, challenge: [0]), receivedAt: Date(timeIntervalSince1970: 0))
    }

    /// The second at which the last certificate between leaf and root begins to be valid.
    static func time(of chain: [[UInt8]]) -> Date {
        chain.dropFirst().compactMap { try? Certificate(der: $0[...], profile: .keystore).notBefore }.max()
            ?? Date(timeIntervalSince1970: 0)
    }
}
