import AssayCore
import Foundation
import Logging
import Synchronization

/// Warnings in the log about keys of the policy and the key store that end soon: one a day for each key.
final class KeyEndNotices: Sendable {
    private static let interval: Double = 86_400

    /// When the log warned of each key.
    private let warned = Mutex<[String: Date]>([:])

    /// Warns of keys that end within ``KeyWindow/notice``, and of those that have ended and are not retired.
    ///
    /// - Parameter keys: name, use and end of each key that ends.
    func warn(of keys: [(name: String, use: String, end: Date)], at now: Date, _ logger: Logger) {
        for key in keys where key.end < now.addingTimeInterval(KeyWindow.notice) {
            let isDue = warned.withLock { warned in
                let id = "\(key.use)\n\(key.name)"
                if let last = warned[id], now.timeIntervalSince(last) < Self.interval { return false }
                warned[id] = now
                return true
            }
            guard isDue else { continue }
            let verb = key.end < now ? "ended" : "ends"
            logger.warning(
                "a key ends",
                metadata: [
                    "assay.key": "\(key.name)",
                    "assay.problem":
                        "the key for \(key.use) \(verb) at \(RFC3339.format(key.end)): add the next one, and retire this one when its last evidence has arrived",
                ])
        }
    }
}
