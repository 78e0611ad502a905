import Assay
import AssayCore
import Foundation

extension NoEvidenceEngine: FuzzedSection {
    static var targets: [FuzzTarget] { [.noEvidenceField] }

    fileprivate static let field =
        #"none;reason=unsupported;code="dc:1";app-version="5.1.0";system-version="13.7""#

    static var records: [[UInt8]] {
        let input = DeviceStatementInput(
            reason: "unsupported", code: "dc:1", appVersion: "5.1.0", systemVersion: "13.7")
        let time = Date(timeIntervalSince1970: 1_790_000_000)
        return [Array(EvidenceRecord(input, id: "none", app: "old", receivedAt: time).jsonLine.utf8)]
    }

    static var policy: VerificationPolicy {
        do {
            let configuration = NoEvidenceConfiguration(reasons: [.unsupported, .failed])
            return try VerificationPolicy(
                apps: [PolicyApp(name: "old", configuration)], catalogue: Verifier.catalogue)
        } catch { FuzzTarget.broken("no policy: \(error)") }
    }

    static var policyTexts: [String] {
        [
            """
            version: 1
            apps:
              - name: old
                noEvidence:
                  reasons: [unsupported, no-play-services, no-attestation-keys, extension, failed]
                  minimumAppVersion: "5.1"
                  versions: { maximum: "7", withdrawn: ["6.0.1"] }
                  maximumSystemVersion: "15.99"
                  account: required
                  plausibleShare: 2%

            """
        ]
    }
}

extension FuzzTarget {
    /// The field of a request: what is read has no character that breaks a line of a log or a field, and is what a record says.
    static let noEvidenceField = FuzzTarget(
        name: "none-field", maximumLength: 512,
        dictionary: ["none", ";reason=", "unsupported", "failed", ";code=\"", ";app-version=\"", ";system-version=\""],
        seeds: { [Array(NoEvidenceEngine.field.utf8), Array("none;reason=failed".utf8)] },
        run: { input in
            guard let text = String(validating: input, as: UTF8.self),
                let statement = try? NoEvidenceSubject(field: .value(text))
            else { return false }
            for text in [statement.code, statement.appVersion, statement.systemVersion] {
                let isPlain = text?.utf8.allSatisfy { (0x20...0x7E).contains($0) } ?? true
                require(isPlain && (text?.utf8.count ?? 1) <= 64, "a text of the statement is not plain")
            }
            require((try? NoEvidenceSubject(field: .repeated)) == nil, "a repeated field is read")
            return true
        })
}
