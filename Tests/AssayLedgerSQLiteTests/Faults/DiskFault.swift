import CFaultyVFS
import Foundation
import Testing

/// A kind of fault, injected at every operation that it can affect.
struct DiskFault: Sendable, CustomTestStringConvertible {
    /// The unsynced data that a power cut leaves.
    enum Remains: UInt64, Sendable, CaseIterable {
        case nothing, everything, anySectors
    }

    let name: String
    let operations: [Int]
    let effect: Int
    var isLasting = false
    /// If set, the power is cut at the end of the work at the latest, and this data remains.
    var powerCut: Remains?

    var testDescription: String { name }

    private static let everyOperation = [
        FAULTY_READ, FAULTY_WRITE, FAULTY_SYNC, FAULTY_TRUNCATE, FAULTY_SHARED_MEMORY, FAULTY_LOCK, FAULTY_OPEN,
        FAULTY_DELETE, FAULTY_SIZE, FAULTY_SHARED_LOCK,
    ]
    private static let changes = [FAULTY_WRITE, FAULTY_SYNC, FAULTY_TRUNCATE, FAULTY_DELETE]

    static let all: [DiskFault] =
        [
            DiskFault(name: "an error, once", operations: everyOperation, effect: FAULTY_ERROR),
            DiskFault(name: "errors from there on", operations: everyOperation, effect: FAULTY_ERROR, isLasting: true),
            DiskFault(
                name: "an error, once, and a power cut later", operations: changes, effect: FAULTY_ERROR,
                powerCut: .nothing),
            DiskFault(name: "a full disk, once", operations: [FAULTY_WRITE], effect: FAULTY_FULL),
            DiskFault(name: "a disk that stays full", operations: [FAULTY_WRITE], effect: FAULTY_FULL, isLasting: true),
            DiskFault(
                name: "a lock that another holds, once", operations: [FAULTY_LOCK, FAULTY_SHARED_LOCK],
                effect: FAULTY_BUSY),
            DiskFault(
                name: "locks that others keep", operations: [FAULTY_LOCK], effect: FAULTY_BUSY, isLasting: true),
            DiskFault(
                name: "a synchronisation that fails and loses what it was for", operations: [FAULTY_SYNC],
                effect: FAULTY_SYNC_LOSS, powerCut: .nothing),
        ]
        + [
            (.nothing, "that loses what was not synchronised"), (.everything, "that loses nothing, like a kill"),
            (.anySectors, "that leaves any sectors"),
        ].flatMap { (remains: Remains, text: String) in
            [
                DiskFault(
                    name: "a power cut \(text)", operations: changes, effect: FAULTY_POWER, powerCut: remains),
                DiskFault(
                    name: "a power cut amid a write \(text)", operations: [FAULTY_WRITE], effect: FAULTY_TORN,
                    powerCut: remains),
            ]
        }

    /// The plan for the nth operation that the fault can affect.
    func plan(at number: Int) -> faulty_plan {
        faulty_plan(
            operations: UInt32(operations.reduce(0, |)), effect: UInt32(effect), at: Int64(number),
            isLasting: isLasting)
    }

    static let isInstalled = faulty_vfs_register() == 0
}

extension DiskFault.Remains {
    var code: UInt32 {
        switch self {
        case .nothing: UInt32(FAULTY_LOSE_UNSYNCED)
        case .everything: UInt32(FAULTY_KEEP_UNSYNCED)
        case .anySectors: UInt32(FAULTY_MIX_UNSYNCED)
        }
    }
}
