import AssayCore
import FoundationEssentials

extension LedgerContract {
    static let documentCases: [AdministrationCase] = [
        AdministrationCase("a document is read as it was stored, with its revision and its time") { ledger in
            try expectEqual(try await ledger.document(named: "devices"), nil, "a document that was not stored")
            let contents: [[UInt8]] = [[], [0], Array(repeating: 0xA5, count: 1 << 20)]
            for (index, bytes) in contents.enumerated() {
                let time = Sample.later(Double(index) + 0.5)
                try await ledger.keep(bytes, replacing: Int64(index), at: time)
                let expected = LedgerDocument(bytes: bytes, revision: Int64(index) + 1, storedAt: time)
                try expect(try await ledger.document(named: "devices") == expected, "document \(index) was changed")
            }
        },
        AdministrationCase("a document is replaced at its revision alone") { ledger in
            try await ledger.refuseToKeep(replacing: 1)
            try expectEqual(try await ledger.document(named: "devices"), nil, "a document that was refused")
            try await ledger.keep([1], replacing: 0)
            try await ledger.keep([2], replacing: 1)
            for revision: Int64 in [-1, 0, 1, 3, .max] { try await ledger.refuseToKeep(replacing: revision) }
            let expected = LedgerDocument(bytes: [2], revision: 2, storedAt: Sample.now)
            try expectEqual(try await ledger.document(named: "devices"), expected, "the document after refusals")
        },
        AdministrationCase("of writers that replace one revision, exactly one succeeds") { ledger in
            for revision: Int64 in 0..<3 {
                let winners = try await withThrowingTaskGroup(of: UInt8?.self) { group in
                    for writer: UInt8 in 0..<8 {
                        group.addTask {
                            try await ledger.store(
                                [writer], named: "devices", replacing: revision, at: Sample.now) ? writer : nil
                        }
                    }
                    var winners: [UInt8] = []
                    for try await winner in group { if let winner { winners.append(winner) } }
                    return winners
                }
                try expectEqual(winners.count, 1, "writers that replaced revision \(revision)")
                let stored = try await ledger.document(named: "devices")
                try expectEqual(stored?.bytes, winners, "the bytes of the writer that succeeded")
                try expectEqual(stored?.revision, revision + 1, "the next revision")
            }
        },
        AdministrationCase("a document and its entries of the audit trail are stored together, or neither is") {
            ledger in
            func change(_ number: Int) -> LedgerChange {
                LedgerChange(
                    at: Sample.now, operatorName: "ops", action: .changePolicy, subject: "build \(number)",
                    detail: "admitted")
            }
            func store(_ numbers: [Int], replacing revision: Int64) async throws -> Bool {
                try await ledger.store(
                    [7], named: "builds", replacing: revision, recording: numbers.map(change), at: Sample.now)
            }
            try expect(try await store([1, 2], replacing: 0), "a new document was not stored")
            for revision: Int64 in [-1, 0, 2] {
                try expect(!(try await store([3], replacing: revision)), "revision \(revision) was replaced")
            }
            try expect(try await store([], replacing: 1), "a document without an entry was not stored")
            try expect(try await store([4], replacing: 2), "a document was not replaced")
            var found: [LedgerAuditEntry] = []
            try await ledger.audit { found.append($0) }
            try expectEqual(found.map(\.change), [1, 2, 4].map(change), "the audit trail")
            try expectEqual(found.map(\.number), [1, 2, 3], "the numbers of the entries")
            try expectEqual(try await ledger.document(named: "builds")?.revision, 3, "the revision")
        },
        AdministrationCase("names of documents are compared byte by byte") { ledger in
            let names = ["devices", "Devices", "devices/shop", "caf\u{E9}", "cafe\u{301}"]
            for (index, name) in names.enumerated() { try await ledger.keep([UInt8(index)], named: name, replacing: 0) }
            for (index, name) in names.enumerated() {
                try expectEqual(try await ledger.document(named: name)?.bytes, [UInt8(index)], "the document \(name)")
            }
        },
        AdministrationCase("a document of 16 MiB is stored; a larger one, and one without a proper name, is not") {
            ledger in
            let bytes = [UInt8](repeating: 7, count: LedgerDocument.maximumSize)
            try await ledger.keep(bytes, replacing: 0)
            try expect(try await ledger.document(named: "devices")?.bytes == bytes, "a document of 16 MiB was changed")
            for (bytes, name, revision) in [(bytes + [7], "devices", 1), ([7], "", 0), ([7], "a\nb", 0)]
                as [([UInt8], String, Int64)]
            {
                var isStored = true
                do throws(LedgerOutage) {
                    _ = try await ledger.store(bytes, named: name, replacing: revision, at: Sample.now)
                } catch {
                    isStored = false
                }
                try expect(!isStored, "\(bytes.count) bytes were stored under the name \"\(name)\"")
            }
            try expectEqual(try await ledger.document(named: "devices")?.revision, 1, "the revision after refusals")
        },
    ]
}

extension LedgerAdministration {
    fileprivate func keep(
        _ bytes: [UInt8], named name: String = "devices", replacing revision: Int64, at now: Date = Sample.now
    ) async throws {
        let isStored = try await store(bytes, named: name, replacing: revision, at: now)
        try expect(isStored, "a document was not stored over its revision \(revision)")
    }

    fileprivate func refuseToKeep(replacing revision: Int64) async throws {
        let isStored = try await store([9], named: "devices", replacing: revision, at: Sample.later(1))
        try expect(!isStored, "a document was stored over the revision \(revision), which it does not have")
    }
}
