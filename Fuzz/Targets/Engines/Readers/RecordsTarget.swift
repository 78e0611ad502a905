import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

extension FuzzTarget {
    /// Record files: a record, an array of them, or one per line.
    static let records = FuzzTarget(
        name: "records", maximumLength: 8192,
        dictionary: [
            "\"id\":", "\"kind\":", "\"evidence\":{}", "\"app\":", "\"receivedAt\":\"2026-04-21T18:13:12Z\"",
            "\"expect\":{\"outcome\":\"accept\",\"failed\":[]}", "app-attest.assertion", "play-integrity.standard",
            "approov.message", "\n", "\"headers\":[[\"a\",\"b\"]]", "\\ud83d\\ude00",
        ],
        seeds: { MintedRecords.all + [Array(MintedRecords.all.suffix(2).joined(separator: [0x0A]))] },
        run: { input in
            let results = RecordFile.read(input)
            var isAccepted = !results.isEmpty
            for result in results {
                switch result {
                case .failure(let failure):
                    isAccepted = false
                    guard (0...input.count).contains(failure.error.offset) else {
                        broken("the error stands outside of the document: \(failure)")
                    }
                    guard failure.description.utf8.count < 4096 else { broken("a long error: \(failure)") }
                case .success(let record): isAccepted = check(record) && isAccepted
                }
            }
            guard results.count <= input.count + 1 else { broken("more records than bytes") }
            // A single line read by itself gives the same record, except for offsets.
            if case .success(let record)? = results.first, results.count == 1, !input.contains(0x0A) {
                guard case .success(let again) = RecordFile.readLine(input[...]), again.json == record.json else {
                    broken("the line is another record")
                }
            }
            return isAccepted
        })

    /// Writing a record and reading it gives the same record. Every engine reads its evidence or returns an error.
    /// Returns whether an engine judged it.
    private static func check(_ record: EvidenceRecord) -> Bool {
        let json = record.json
        let again = RecordFile.read(Array(json.utf8))
        guard again.count == 1, case .success(let same) = again[0], same.json == json else {
            broken("what is written is read as something else: \(json)")
        }
        let answer = Blocking.wait { () async -> Result<Assessment, VerificationError> in
            do throws(VerificationError) {
                return .success(
                    try await MintedRecords.verifier.assess(
                        record, ledger: MemoryLedger(), at: record.receivedAt ?? AppleMint.now))
            } catch {
                return .failure(error)
            }
        }
        _ = Verifier.orderingKey(of: record)
        switch answer {
        case .success: return true
        case .failure(.outage(let outage)): broken("a record makes an outage: \(outage)")
        case .failure: return false
        }
    }
}
