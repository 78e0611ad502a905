import AppAttest
import Approov
import Assay
import AssayCore
import AssayHTTP
import AssayLedgerSQLite
import AssayPlatforms
import AssayPrimitives
import Foundation
import PlayIntegrity
import Testing

/// The tables of SECURITY.md say what the code does.
@Suite("Documented limits")
struct DocumentedLimitsTests {
    private static let limits: [(of: String, value: String)] = [
        ("an attestation object", size(InputLimits.attestationObject)), ("an assertion", size(InputLimits.assertion)),
        ("client data that an assertion signs", size(InputLimits.clientData)),
        ("client data that are searched for a challenge", size(InputLimits.clientDataJSON)),
        ("a receipt", size(InputLimits.receipt)), ("a certificate", size(InputLimits.certificate)),
        ("certificates of a path or a message", "\(InputLimits.certificates)"),
        ("a JWS or JWE", size(InputLimits.joseText)), ("the header of a JWS or JWE", size(InputLimits.joseHeader)),
        ("an integrity token for Google", size(InputLimits.integrityToken)),
        ("Google's answer on a token", size(InputLimits.integrityAnswer)), ("a set of keys", size(InputLimits.keySet)),
        ("one part of a key", size(InputLimits.keyPart)), ("the name of a key", "\(InputLimits.keyName) bytes"),
        ("a service account's key file", size(ServiceAccount.limit)), ("a policy file", size(InputLimits.policy)),
        ("a file of records, or a line of one", size(InputLimits.record)),
        ("records of one file", "\(InputLimits.records)"), ("the `id` of a record", "\(InputLimits.recordID) bytes"),
        ("the `kind` and the `app` of a record", "\(InputLimits.recordName) bytes"),
        ("a structured field", size(InputLimits.structuredField)),
        ("members of a structured list or dictionary", "\(StructuredFieldReader.Limits.members)"),
        ("components of a message signature", "\(SignatureInput.components)"),
        ("depth of CBOR", "\(InputLimits.cborDepth)"),
        ("depth of DER, BER, JSON and YAML", "\(InputLimits.nestingDepth)"),
        ("values of a JSON document", "\(JSONReader.values)"),
        ("a body that the middleware collects", size(RequestBodyMode.collected().limit)),
        ("a body that the middleware streams", size(RequestBodyMode.streamed().limit)),
    ]

    private static let windows: [(of: String, seconds: Double)] = [
        ("a challenge of the ledger", Verifier.challengeLifetime),
        ("age of a Play Integrity token", PlayIntegrityConfiguration.Freshness().past),
        ("a Play Integrity token from the future", PlayIntegrityConfiguration.Freshness().future),
        ("age of a signed request", FreshnessWindow().past),
        ("a signed request from the future", FreshnessWindow().future),
        ("age of a refreshed receipt", AppAttestConfiguration.ReceiptRules().maximumAge),
        ("a receipt from the future", ReceiptAssessor.clockSkew),
        ("how long the ledger keeps what has expired", LedgerRules.retention),
        ("how long unsealed keys are used without a look at the store", seconds(SealedKeyStore.lifetime)),
        ("how long a write waits for another process", seconds(SQLiteLedger.defaultBusyTimeout)),
        ("a call to Google with all attempts", seconds(PlayIntegrityClientSettings().deadline)),
    ]

    @Test("Each row is there as the code has it, and no other row")
    func tables() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../")
        let text = try String(contentsOf: root.appendingPathComponent("SECURITY.md"), encoding: .utf8)
        let section = try #require(text.split(separator: "\n## ").first { $0.hasPrefix("Limits\n") })
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { row in
            row.split(separator: "|").prefix(2).map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let expected =
            [["of", "at most"]] + Self.limits.map { [$0.of, $0.value] } + [["window", "value"]]
            + Self.windows.map { [$0.of, "\(Int($0.seconds)) s"] }
        #expect(rows == expected)
    }

    private static func seconds(_ duration: Duration) -> Double { Double(duration.components.seconds) }

    private static func size(_ bytes: Int) -> String {
        let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")]
        return units.first { bytes % $0.0 == 0 }.map { "\(bytes / $0.0) \($0.1)" } ?? "\(bytes) bytes"
    }
}
