import AssayCore
import FoundationEssentials
import Synchronization

/// Keeps the schedule of the last keys of a store for the second in which it was computed: the uses of keys change at whole times.
final class TokenKeyMemo: Sendable {
    private struct Entry {
        let named: [NamedKey]
        let second: Double
        let schedule: TokenKeySchedule
    }

    private let entry = Mutex<Entry?>(nil)

    /// The schedule of keys at a time. The same array, by its storage, has the same schedule within a second.
    func schedule(of named: [NamedKey], at now: Date) -> TokenKeySchedule {
        let second = now.timeIntervalSince1970.rounded(.down)
        let found = entry.withLockIfAvailable { entry -> TokenKeySchedule? in
            guard let entry, entry.second == second, Self.isOne(entry.named, named) else { return nil }
            return entry.schedule
        }
        if let schedule = found ?? nil { return schedule }
        // At the start of the second, so that every moment of it has one schedule.
        let schedule = TokenKeySchedule(named, at: Date(timeIntervalSince1970: second))
        entry.withLock { $0 = Entry(named: named, second: second, schedule: schedule) }
        return schedule
    }

    private static func isOne(_ left: [NamedKey], _ right: [NamedKey]) -> Bool {
        left.withUnsafeBufferPointer { left in
            right.withUnsafeBufferPointer { right in
                left.baseAddress == right.baseAddress && left.count == right.count
            }
        }
    }
}
