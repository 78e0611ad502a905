import AppAttest
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

/// Certificates that apps saw are carried by evidence of other engines, which have targets of their own: seeds of the readers of records and
/// policies.
extension CertificateEngine: FuzzedSection {
    static var targets: [FuzzTarget] { [] }

    private static let host = "api.example.com"

    private static func leaf() throws -> [UInt8] {
        try TestIssuer.selfSigned(
            name: DistinguishedName([.init(.commonName, host)]), key: TestKey(.p256, seed: "fuzz", label: "host"),
            notBefore: MintedSeeds.issuedAt, notAfter: MintedSeeds.issuedAt.addingTimeInterval(86_400)
        ).certificate
    }

    static var records: [[UInt8]] {
        do {
            let seen = SeenCertificate(
                host: host, chain: [try leaf()], challenge: Base64.encode([UInt8](repeating: 7, count: 32), .url))
            return try AppAttestEngine.records.flatMap { try RecordFile.read($0).map { try $0.get() } }.map {
                Array(EvidenceRecord(seen, carriedBy: $0).jsonLine.utf8)
            }
        } catch { FuzzTarget.broken("no record with a certificate: \(error)") }
    }

    static var policy: VerificationPolicy {
        do {
            let rule = "certificates: { hosts: { \(host): { leaves: [\(Digest.sha256(try leaf()).hexadecimal)] } } }"
            let apps = AppAttestEngine.policy.apps.map { "  - { name: \(JSONText.string($0.name)), \(rule) }\n" }
            return policy(reading: "version: 1\napps:\n\(apps.joined())")
        } catch { FuzzTarget.broken("no policy: \(error)") }
    }

    static var policyTexts: [String] {
        [
            """
            version: 1
            apps:
              - name: shop
                certificates:
                  required: yes
                  hosts:
                    api.example.com:
                      leaves: [0000000000000000000000000000000000000000000000000000000000000000, "file:root.pem"]
                    cdn.example.com: { compare: pin, pins: [0000000000000000000000000000000000000000000000000000000000000000] }
                    www.example.com: { fetch: yes }
                    10.0.2.2: { skip: yes }

            """
        ]
    }
}
