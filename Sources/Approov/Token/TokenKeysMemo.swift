import AssayCore
import FoundationEssentials
import Synchronization

/// Caches the selected keys of an app between tokens, for the same key array and until a key changes its state. Each thread group has
/// its own entry; see ``ThreadGroup``. A thread that cannot lock at once selects the keys itself.
final class TokenKeysMemo: Sendable {
    private struct Entry {
        let named: [NamedKey]
        /// The period without a key state change, in seconds since 2001, ends excluded.
        let start: Double
        let end: Double
        let keys: ApproovTokenKeys
    }

    /// The entry of a thread group.
    private final class Slot: Sendable {
        let entry = Mutex<Entry?>(nil)
        private let gap = ThreadGroup.Gap()
    }

    private let slots = (0..<ThreadGroup.count).map { _ in Slot() }

    /// The app's keys among those of a store, with their states at a time.
    func keys(among named: [NamedKey], for claim: KeyClaim, at now: Date) -> ApproovTokenKeys {
        let present = now.timeIntervalSinceReferenceDate
        let slot = slots[ThreadGroup.current]
        let found = slot.entry.withLockIfAvailable { entry -> ApproovTokenKeys? in
            guard let entry, entry.start < present, present < entry.end, Self.isOne(entry.named, named) else {
                return nil
            }
            return entry.keys
        }
        if let keys = found ?? nil { return keys }
        let keys = ApproovTokenKeys(ApproovTokenKeys.Selection(named, for: claim, at: now))
        forgetOthers(than: named)
        if let (start, end) = Self.span(of: named, around: present) {
            _ = slot.entry.withLockIfAvailable { $0 = Entry(named: named, start: start, end: end, keys: keys) }
        }
        return keys
    }

    /// Drops entries for other key arrays, which idle threads would retain: keys are wiped when their last reference is
    /// released.
    private func forgetOthers(than named: [NamedKey]) {
        for slot in slots {
            slot.entry.withLock { entry in
                if let held = entry?.named, !Self.isOne(held, named) { entry = nil }
            }
        }
    }

    /// True if two arrays share their storage. An entry's reference keeps the storage unchanged.
    private static func isOne(_ left: [NamedKey], _ right: [NamedKey]) -> Bool {
        left.withUnsafeBufferPointer { left in
            right.withUnsafeBufferPointer { right in
                left.baseAddress == right.baseAddress && left.count == right.count
            }
        }
    }

    /// The period around the present without a key state change; nil if a key changes its state right now.
    private static func span(of named: [NamedKey], around present: Double) -> (start: Double, end: Double)? {
        var (start, end) = (-Double.infinity, Double.infinity)
        for key in named {
            for change in [key.window.notBefore, key.window.notAfter, key.retiredAt] {
                guard let time = change?.timeIntervalSinceReferenceDate else { continue }
                if time < present {
                    start = max(start, time)
                } else if time > present {
                    end = min(end, time)
                } else {
                    return nil
                }
            }
        }
        return (start, end)
    }
}
