import AssayCore
import FoundationEssentials

extension LedgerContract {
    static let taskCases: [AdministrationCase] = [
        AdministrationCase("a task is read as it was stored, with its revision and its time") { ledger in
            try expectEqual(try await ledger.task([1], in: "work"), nil, "a task that was not stored")
            for (index, bytes) in ([[], [0], Array(repeating: 0xA5, count: LedgerTask.maximumSize)] as [[UInt8]])
                .enumerated()
            {
                let due = Sample.later(Double(index) + 0.5)
                try await ledger.keep(1, due: due, bytes: bytes, replacing: Int64(index))
                let expected = LedgerTask(
                    queue: "work", key: [1], dueAt: due, holder: nil, bytes: bytes, revision: Int64(index) + 1)
                try expect(try await ledger.task([1], in: "work") == expected, "task \(index) was changed")
            }
        },
        AdministrationCase("a task is replaced and removed at its revision alone") { ledger in
            try await ledger.keep(1, replacing: 0)
            for revision: Int64 in [-1, 0, 2, .max] {
                let isStored = try await ledger.putTask(
                    [1], in: "work", dueAt: Sample.now, bytes: [9], replacing: revision, at: Sample.now)
                try expect(!isStored, "a task was stored over revision \(revision), which it does not have")
                let isRemoved = try await ledger.removeTask(
                    [1], in: "work", replacing: revision, at: Sample.now)
                try expect(!isRemoved, "a task was removed at revision \(revision), which it does not have")
            }
            try expectEqual(try await ledger.task([1], in: "work")?.bytes, [1], "the bytes after refusals")
            let isRemoved = try await ledger.removeTask([1], in: "work", replacing: 1, at: Sample.now)
            try expect(isRemoved, "a task was not removed at its revision")
            try expectEqual(try await ledger.task([1], in: "work"), nil, "a removed task")
        },
        AdministrationCase("tasks are leased when they are due, those first that are due first, and each of its queue")
        { ledger in
            for seed: UInt8 in [1, 2, 3] { try await ledger.keep(seed, due: Sample.later(Double(seed)), replacing: 0) }
            let other = try await ledger.putTask(
                [1], in: "Work", dueAt: Sample.now, bytes: [], replacing: 0, at: Sample.now)
            try expect(other, "a task of another queue was not stored")
            try expectEqual(try await ledger.lease(3, at: Sample.later(0.9)), [], "leased before the first is due")
            try expectEqual(try await ledger.lease(1, at: Sample.later(2)), [[1]], "the first that is due")
            try expectEqual(try await ledger.lease(3, at: Sample.later(2)), [[2]], "the rest that is due")
            try expectEqual(try await ledger.lease(3, at: Sample.later(3)), [[3]], "the last one, at its time")
            let leased = try await ledger.task([1], in: "work")
            try expectEqual(leased?.holder, "holder", "the holder")
            try expectEqual(leased?.dueAt, Sample.later(62), "the end of the lease")
        },
        AdministrationCase("a lease that ends is given to another, and its holder changes nothing then") { ledger in
            try await ledger.keep(1, replacing: 0)
            let first = try await ledger.leaseTasks(
                in: "work", to: "a", until: Sample.later(10), atMost: 1, at: Sample.now)
            try expectEqual(first.map(\.revision), [2], "the revision of a leased task")
            try expectEqual(try await ledger.lease(1, at: Sample.later(9)), [], "leased twice at once")
            let second = try await ledger.leaseTasks(
                in: "work", to: "b", until: Sample.later(20), atMost: 1, at: Sample.later(10))
            try expectEqual(second.map(\.holder), ["b"], "the second holder")
            let isLate = try await ledger.putTask(
                [1], in: "work", dueAt: Sample.later(99), bytes: [7], replacing: 2, at: Sample.later(11))
            try expect(!isLate, "the holder of an expired lease changed the task")
            let isDone = try await ledger.putTask(
                [1], in: "work", dueAt: Sample.later(99), bytes: [8], replacing: 3, at: Sample.later(12))
            try expect(isDone, "the holder of the lease did not change the task")
            let expected = LedgerTask(
                queue: "work", key: [1], dueAt: Sample.later(99), holder: nil, bytes: [8], revision: 4)
            try expectEqual(try await ledger.task([1], in: "work"), expected, "the task after its lease")
        },
        AdministrationCase("of callers that lease at once, exactly one gets each task") { ledger in
            for seed: UInt8 in 0..<12 { try await ledger.keep(seed, replacing: 0) }
            let leased = try await withThrowingTaskGroup(of: [[UInt8]].self) { group in
                for _ in 0..<8 { group.addTask { try await ledger.lease(3, at: Sample.now) } }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            try expectEqual(leased.count, 12, "leases of twelve tasks")
            try expectEqual(Set(leased).count, 12, "tasks that were leased")
        },
        AdministrationCase("the task of a key is leased before it is due, by one of several callers at once") {
            ledger in
            try await ledger.keep(1, due: Sample.later(500), replacing: 0)
            try await ledger.keep(2, due: Sample.now, replacing: 0)
            try expectEqual(
                try await ledger.leaseTask([9], in: "work", to: "a", until: Sample.later(60), at: Sample.now), nil,
                "a task that there is not")
            let leased = try await withThrowingTaskGroup(of: LedgerTask?.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await ledger.leaseTask([1], in: "work", to: "a", until: Sample.later(60), at: Sample.now)
                    }
                }
                return try await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
            }
            try expectEqual(
                leased,
                [
                    LedgerTask(
                        queue: "work", key: [1], dueAt: Sample.later(60), holder: "a", bytes: [1], revision: 2)
                ], "leases of one task")
            try expectEqual(try await ledger.lease(9, at: Sample.later(59)), [[2]], "what the lease leaves")
            let early = try await ledger.leaseTask(
                [2], in: "work", to: "b", until: Sample.later(200), at: Sample.later(60))
            try expectEqual(early, nil, "a task that another caller has leased with others")
            let next = try await ledger.leaseTask(
                [1], in: "work", to: "b", until: Sample.later(200), at: Sample.later(60))
            try expectEqual(next?.holder, "b", "the holder after the end of the lease")
            let isLate = try await ledger.putTask(
                [1], in: "work", dueAt: Sample.later(99), bytes: [7], replacing: 2, at: Sample.later(61))
            try expect(!isLate, "the holder of an expired lease changed the task")
        },
        AdministrationCase("tasks are listed by pages, in the order of the bytes of their keys") { ledger in
            let keys: [[UInt8]] = [[0], [0, 0], [1], [127], [128, 1], [255], [255, 255]]
            for key in keys.reversed() {
                let isStored = try await ledger.putTask(
                    key, in: "work", dueAt: Sample.now, bytes: key, replacing: 0, at: Sample.now)
                try expect(isStored, "a task was not stored")
            }
            var (found, last): ([[UInt8]], [UInt8]?) = ([], nil)
            while true {
                let page = try await ledger.tasks(in: "work", after: last, atMost: 2)
                guard let next = page.last?.key else { break }
                try expect(page.allSatisfy { $0.bytes == $0.key }, "the tasks of a page")
                found += page.map(\.key)
                last = next
            }
            try expectEqual(found, keys, "the keys of all pages")
        },
        AdministrationCase("a task without a proper key or queue, or with too many bytes, is not stored") { ledger in
            let long = [UInt8](repeating: 1, count: LedgerTask.maximumKeySize + 1)
            let large = [UInt8](repeating: 1, count: LedgerTask.maximumSize + 1)
            for (key, queue, bytes) in [([], "work", []), (long, "work", []), ([1], "", []), ([1], "work", large)]
                as [([UInt8], String, [UInt8])]
            {
                var isStored = true
                do throws(LedgerOutage) {
                    _ = try await ledger.putTask(
                        key, in: queue, dueAt: Sample.now, bytes: bytes, replacing: 0, at: Sample.now)
                } catch {
                    isStored = false
                }
                try expect(!isStored, "\(key.count) bytes of key and \(bytes.count) of content were stored")
            }
        },
    ]
}

extension LedgerAdministration {
    fileprivate func keep(
        _ seed: UInt8, due: Date = Sample.now, bytes: [UInt8]? = nil, replacing revision: Int64
    ) async throws {
        let isStored = try await putTask(
            [seed], in: "work", dueAt: due, bytes: bytes ?? [seed], replacing: revision, at: Sample.now)
        try expect(isStored, "a task was not stored over its revision \(revision)")
    }

    /// Leases tasks for a minute, and returns their keys.
    fileprivate func lease(_ limit: Int, at now: Date) async throws -> [[UInt8]] {
        try await leaseTasks(in: "work", to: "holder", until: now + 60, atMost: limit, at: now).map(\.key)
    }
}
