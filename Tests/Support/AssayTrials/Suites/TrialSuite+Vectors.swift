import AppAttest
import Assay
import AssayCore
import AssayTestSupport
import Foundation

/// Vectors: records that expect a verdict.
extension TrialSuite {
    static var vectors: [TrialSuite] {
        let folders = (try? VectorFolder.all()) ?? []
        return folders.map { folder in
            TrialSuite("Vectors \(folder.name)", file: nil, origin: origin(of: folder.name), exercises: "`Verifier`") {
                try await judge(folder)
            }
        } + (SharedFiles.isAvailable ? [refreshedReceipts] : [])
    }

    private static func origin(of folder: String) -> SuiteOrigin {
        switch folder {
        case let name where name.hasPrefix("TestVectors/") && name.contains("/minted"):
            SuiteOrigin(source: "minted by `make vectors`", licence: "as this repository")
        case "TestVectors/app-attest": SuiteOrigin(source: "Apple's published sample of 2026", licence: "Apple")
        case "shared/app-attest":
            SuiteOrigin(
                source: "real devices: Apple's samples, veehaitch/devicecheck-appattest, a-sit-plus/warden-supreme, "
                    + "webauthn4j, uebelack/node-app-attest, pyattest, mikedan",
                licence: "Apple; Apache-2.0; MIT")
        case "TestVectors/android-key/captures", "shared/android-key/captures":
            SuiteOrigin(source: "real phones: GrapheneOS/AttestationSamples at 4e2af21", licence: "CC0 1.0")
        case "shared/play-integrity-answers":
            SuiteOrigin(
                source: "answers that Google gave: keiji/device-integrity, unfacd, galaxy/airviewdictionary",
                licence: "as the shared files")
        default: SuiteOrigin(source: "minted elsewhere", licence: "as the shared files")
        }
    }

    /// Judges each file in order with a new ledger. Records without a verdict belong in `unreadable`.
    private static func judge(_ folder: VectorFolder) async throws -> SuiteReport {
        let records = folder.files.flatMap { file in RecordFile.read(file.contents).map { (file.name, $0) } }
        let unreadable = folder.unreadable.map { ($0.name, RecordFile.read($0.contents)) }
        var report = SuiteReport(cases: records.count + unreadable.reduce(0) { $0 + $1.1.count })
        var verifiers: [String: Verifier] = [:]
        for (file, result) in records {
            let record = try result.get()
            let id = "\(file) \(record.id ?? "?")"
            let expected = try need(record.expect)
            let verifier =
                verifiers[file]
                ?? Verifier(policy: folder.policy, ledger: MemoryLedger(), engines: .standard, use: .analysis)
            verifiers[file] = verifier
            let time = try need(record.receivedAt)
            let verdict: Verdict
            do throws(VerificationError) { verdict = try await verifier.verify(record, at: time) } catch {
                guard case .record = error, expected.failed.map(\.description) == ["unreadable"] else { throw error }
                report.record(id, expected: false, accepted: false)
                continue
            }
            report.record(id, expected: expected.outcome == .accept, accepted: verdict.outcome == .accept)
            report.require(expected.isMet(by: verdict), "\(id) expects \(expected.failed), found \(verdict.failed)")
        }
        for (file, results) in unreadable {
            for (index, result) in results.enumerated() {
                report.record(
                    "unreadable/\(file) \(index)", expected: false, accepted: try await isAccepted(result, folder))
            }
        }
        return report
    }

    private static func isAccepted(
        _ result: Result<EvidenceRecord, RecordFile.Unreadable>, _ folder: VectorFolder
    ) async throws -> Bool {
        guard case .success(let record) = result else { return false }
        do {
            let verifier = Verifier(policy: folder.policy, ledger: MemoryLedger())
            return try await verifier.verify(record, at: Date(timeIntervalSince1970: 1_790_000_000)).outcome == .accept
        } catch .outage(let outage) {
            throw VerificationError.outage(outage)
        } catch {
            return false
        }
    }

    private static var refreshedReceipts: TrialSuite {
        TrialSuite(
            "Vectors shared/app-attest-receipts", file: nil,
            origin: SuiteOrigin(
                source: "receipts that Apple handed out in 2020 and 2021, veehaitch/devicecheck-appattest",
                licence: "Apache-2.0"),
            exercises: "`Verifier`, receipts"
        ) {
            let receipts = try AcceptedVector.all().filter { $0.record.kind == EvidenceKind.appAttestReceipt }
            var report = SuiteReport(cases: receipts.count)
            for vector in receipts {
                let verdict = try await Verifier(policy: vector.policy, ledger: MemoryLedger())
                    .verify(vector.record, at: vector.time)
                report.record(vector.name, expected: true, accepted: verdict.outcome == .accept)
            }
            return report
        }
    }
}
