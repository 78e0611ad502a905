import AssayCore
import AssayPrimitives
import FoundationEssentials
import Synchronization

/// Remembers which keys of a store are an app's, and what they can be used for, from one token to the next.
///
/// What is remembered is used again as long as it is what a look at the keys would find: for the very same array of keys,
/// and at times between which no key changes its state. Each group of threads remembers apart; see ``ThreadGroup``. A
/// thread that finds another one here does not wait, and looks by itself.
final class TokenKeysMemo: Sendable {
    private struct Entry {
        let named: [NamedKey]
        /// No key changes its state after the one and before the other, in seconds since 2001, ends excluded.
        let start: Double
        let end: Double
        let keys: TokenKeys
    }

    /// What a group of threads remembers.
    private final class Slot: Sendable {
        let entry = Mutex<Entry?>(nil)
        private let gap = ThreadGroup.Gap()
    }

    private let slots = (0..<ThreadGroup.count).map { _ in Slot() }

    /// The keys of an app among those of a store, in their states at a time.
    func keys(among named: [NamedKey], for claim: KeyClaim, at now: Date) -> TokenKeys {
        let present = now.timeIntervalSinceReferenceDate
        let slot = slots[ThreadGroup.current]
        let found = slot.entry.withLockIfAvailable { entry -> TokenKeys? in
            guard let entry, entry.start < present, present < entry.end, Self.isOne(entry.named, named) else {
                return nil
            }
            return entry.keys
        }
        if let keys = found ?? nil { return keys }
        let keys = TokenKeys(TokenKeys.Selection(named, for: claim, at: now))
        forgetOthers(than: named)
        if let (start, end) = Self.span(of: named, around: present) {
            _ = slot.entry.withLockIfAvailable { $0 = Entry(named: named, start: start, end: end, keys: keys) }
        }
        return keys
    }

    /// Lets go of keys that are not those of the store any more: a group whose threads judge nothing would hold them, and
    /// they are wiped when nobody does.
    private func forgetOthers(than named: [NamedKey]) {
        for slot in slots {
            slot.entry.withLock { entry in
                if let held = entry?.named, !Self.isOne(held, named) { entry = nil }
            }
        }
    }

    /// Whether two arrays are one: the same place in memory, which nobody writes to while it is remembered here.
    private static func isOne(_ left: [NamedKey], _ right: [NamedKey]) -> Bool {
        left.withUnsafeBufferPointer { left in
            right.withUnsafeBufferPointer { right in
                left.baseAddress == right.baseAddress && left.count == right.count
            }
        }
    }

    /// The time around the present in which no key changes its state; nil when one changes right now.
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
