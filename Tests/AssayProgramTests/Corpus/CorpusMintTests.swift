import AssayCore
import AssayProgram
import AssayTesting
import Foundation
import Testing

@Suite("Minted corpora")
struct CorpusMintTests {
    private func lines(_ change: (inout CorpusBlueprint) -> Void = { _ in }) async throws -> [UInt8] {
        var mint = try CorpusMint(
            CorpusBlueprintTests.blueprint {
                $0.devices = 20
                $0.days = 3
                change(&$0)
            })
        var bytes: [UInt8] = []
        while let lines = try await mint.nextLines() { bytes += lines }
        return bytes
    }

    @Test("The same blueprint gives the same bytes, and another seed, end or share others")
    func deterministic() async throws {
        let corpus = try await lines()
        #expect(try await lines() == corpus)
        #expect(try await lines { $0.seed = "others" } != corpus)
        #expect(try await lines { $0.end += 1 } != corpus)
        #expect(
            try await lines { $0.shares["app-attest.assertion.counter"] = CorpusShare(partsPerMillion: 0) } != corpus)
    }

    @Test("The files beside the records are the same as well, and only the keys that are secret are said to be")
    func files() throws {
        let blueprint = CorpusBlueprintTests.blueprint { $0.devices = 1 }
        let files = try CorpusMint(blueprint).files
        #expect(try CorpusMint(blueprint).files.map(\.contents) == files.map(\.contents))
        #expect(files.filter(\.isSecret).map(\.path) == ["keys/play-decryption.b64"])
        for name in ["policy.yaml", "stricter.yaml", "test-root.pem", "README.md"] {
            #expect(files.contains { $0.path == name && !$0.contents.isEmpty }, "\(name)")
        }
    }

    @Test("So many records as are wanted are minted", arguments: [1, 19, 500, 2049, 5000])
    func count(_ records: Int) async throws {
        let corpus = try await lines { $0.records = records }
        #expect(corpus.count { $0 == UInt8(ascii: "\n") } == records)
    }

    @Test("Records come in the order of their reception, within the days, under names of their own")
    func order() async throws {
        let end = Date(timeIntervalSince1970: 1_790_000_000)
        var mint = try CorpusMint(
            CorpusBlueprintTests.blueprint {
                $0.devices = 50
                $0.days = 5
            })
        var last = end.addingTimeInterval(-5 * 86_400 - 601)
        var names: Set<String> = []
        var count = 0
        while let records = try await mint.next() {
            for record in records {
                let time = try #require(record.receivedAt)
                #expect(time >= last)
                #expect(time <= end)
                last = time
                names.insert(try #require(record.id))
                count += 1
            }
        }
        #expect(count > 300)
        #expect(names.count == count)
    }

    @Test("Devices are of the platforms in their shares", arguments: [0, 250_000, 1_000_000])
    func platforms(_ partsPerMillion: Int) async throws {
        var mint = try CorpusMint(
            CorpusBlueprintTests.blueprint {
                $0.devices = 40
                $0.days = 2
                $0.appleShare = CorpusShare(partsPerMillion: partsPerMillion)
            })
        var apple: Set<Substring> = []
        var others: Set<Substring> = []
        while let records = try await mint.next() {
            for record in records {
                let device = try #require(record.id?.split(separator: "-").prefix(2).joined(separator: "-"))
                if record.kind.name.hasPrefix("app-attest.") {
                    apple.insert(device[...])
                } else {
                    others.insert(device[...])
                }
            }
        }
        #expect(apple.count == 40 * partsPerMillion / 1_000_000)
        #expect(others.count == 40 - apple.count)
    }
}
