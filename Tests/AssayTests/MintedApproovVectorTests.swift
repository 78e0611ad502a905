import Approov
import Assay
import AssayCore
import AssayTesting
import Foundation
import Testing

/// What the test keys mint: for each check of Approov, evidence that fails it alone, and each line of hostile input.
struct MintedApproovVectorTests {
    private static let count = 650

    @Test("every vector of this repository gives the verdict that it expects, and each check fails alone in one")
    func repository() async throws {
        let outcome = try await MintedVectors.committed("approov", isExact: true).judge()
        #expect(outcome.count > Self.count)
        // A record cannot block a device, and an address is a signal that rejects nothing.
        #expect(
            Set(ApproovCheck.catalogue.map(\.id)).subtracting(outcome.isolated)
                == [ApproovCheck.device, ApproovCheck.address])
    }

    @Test("freshly minted evidence gives the same verdicts, under random keys")
    func minted() async throws {
        let files = try ApproovVectors.files(at: Date(timeIntervalSince1970: 1_800_000_000.75))
        #expect(try Set(files.map(\.path)) == Set(MintedVectors.committed("approov").files.map(\.path)))
        #expect(try await MintedVectors(files: files, isExact: true).judge().count > Self.count)
    }

    @Test("minting anew, under the same seed and for the same time, gives the same bytes")
    func reproducible() throws {
        let time = try #require(RFC3339.parse("2026-09-21T12:00:00Z"))
        let files = try ApproovVectors.files(seed: "assay test vectors", at: time)
        let committed = try MintedVectors.committed("approov").files
        #expect(files.count == committed.count)
        for file in committed {
            #expect(files.first { $0.path == file.path }?.contents == file.contents, "\(file.path)")
        }
        #expect(
            try ApproovVectors.files(seed: "another", at: time).allSatisfy { file in
                !file.isSecret || file.contents != committed.first { $0.path == file.path }?.contents
            })
    }

    @Test("records that have no verdict are unreadable, or nobody can judge them")
    func unreadable() async throws {
        #expect(try await MintedVectors.committed("approov").expectNoVerdicts() > 30)
    }

    @Test("every record says what it is for by a name of its own, and what it expects")
    func names() throws {
        var seen: Set<String> = []
        for file in try MintedVectors.committed("approov").files
        where file.path.hasSuffix(".json") && !file.path.hasPrefix("unreadable/") && !file.path.hasPrefix("keys/") {
            for result in RecordFile.read(Array(file.contents.utf8)) {
                let record = try result.get()
                let id = try #require(record.id)
                #expect(seen.insert(id).inserted, "\(id) in \(file.path)")
                #expect(record.expect != nil, "\(id)")
            }
        }
        #expect(seen.count > Self.count)
    }
}
