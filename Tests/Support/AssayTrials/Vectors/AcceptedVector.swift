import AppAttest
import Assay
package import AssayCore
import AssayPrimitives
import AssayTestSupport
package import Foundation

/// An accepted record, with everything needed to judge it again.
package struct AcceptedVector: Sendable {
    /// The folder, file and name of the record.
    package let name: String
    /// The policy file.
    package let policyURL: URL
    /// The policy.
    package let policy: VerificationPolicy
    /// The evidence.
    package let record: EvidenceRecord
    /// The time of judgement.
    package let time: Date
    /// The earlier records of the same key, which the ledger must see first.
    package let preceding: [EvidenceRecord]

    /// All accepted vectors, in a fixed order.
    package static func all() throws -> [AcceptedVector] {
        var found: [AcceptedVector] = []
        for folder in try VectorFolder.all() {
            for file in folder.files { found += try accepted(of: file, in: folder) }
            if folder.name == "shared/app-attest" { found += try receipts(judgedBy: folder) }
        }
        return found
    }

    private static func accepted(of file: VectorFolder.File, in folder: VectorFolder) throws -> [AcceptedVector] {
        var found: [AcceptedVector] = []
        for result in RecordFile.read(file.contents) {
            let record = try result.get()
            guard record.expect?.outcome == .accept, let time = record.receivedAt else { continue }
            let key = Verifier.orderingKey(of: record)
            found.append(
                AcceptedVector(
                    name: "\(folder.name)/\(file.name)/\(record.id ?? "?")", policyURL: folder.policyURL,
                    policy: folder.policy, record: record, time: time,
                    preceding: key == nil
                        ? [] : found.map(\.record).filter { Verifier.orderingKey(of: $0) == key }))
        }
        return found
    }

    /// A file of vectors lacks a required part.
    private struct Incomplete: Error {
        let description: String
    }

    private struct Refreshed: Decodable {
        struct Properties: Decodable { let creationTime: String }
        let source: String
        let receipt: String
        let properties: Properties
    }

    /// Receipts from Apple's server, as records. The key is that of the attestation from which the receipt was
    /// refreshed.
    private static func receipts(judgedBy folder: VectorFolder) throws -> [AcceptedVector] {
        let refreshed = try SharedFiles.json("vectors/app-attest-receipts/refreshed.json", as: [Refreshed].self)
        let records = try folder.files.flatMap { try RecordFile.read($0.contents).map { try $0.get() } }
        return try refreshed.enumerated().map { number, item in
            guard let keyID = records.first(where: { $0.id == item.source })?.evidence["keyId"],
                let created = RFC3339.parse(item.properties.creationTime)
            else { throw Incomplete(description: "no attestation for receipt \(number), or no time") }
            let receipt = RecordValue(.text(item.receipt), offset: 0)
            let evidence = RecordObject(
                [
                    RecordObject.Member(name: "keyId", offset: 0, value: keyID),
                    RecordObject.Member(name: "receipt", offset: 0, value: receipt),
                ], offset: 0)
            let record = EvidenceRecord(
                id: "\(item.source)-receipt-\(number)", kind: EvidenceKind.appAttestReceipt, app: "captures",
                receivedAt: created,
                evidence: evidence, expect: .init(outcome: .accept, failed: []))
            return AcceptedVector(
                name: "shared/app-attest-receipts/refreshed.json/\(number)", policyURL: folder.policyURL,
                policy: folder.policy, record: record, time: created, preceding: [])
        }
    }
}
