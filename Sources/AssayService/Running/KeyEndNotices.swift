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
    /// - Parameter keys: the gauges ``MetricName/keyEnd``: the labels with name and use of each key that ends, and its end.
    func warn(of keys: [(labels: [String: String], value: Double)], at now: Date, _ logger: Logger) {
        for key in keys {
            let (name, use) = (key.labels["name"] ?? "", key.labels["use"] ?? "")
            let end = Date(timeIntervalSince1970: key.value)
            guard end < now.addingTimeInterval(KeyWindow.notice) else { continue }
            let isDue = warned.withLock { warned in
                let id = "\(use)\n\(name)"
                if let last = warned[id], now.timeIntervalSince(last) < Self.interval { return false }
                warned[id] = now
                return true
            }
            guard isDue else { continue }
            let verb = end < now ? "ended" : "ends"
            logger.warning(
                "a key ends",
                metadata: [
                    "assay.key": "\(name)",
                    "assay.problem":
                        "the key for \(use) \(verb) at \(RFC3339.format(end)): add the next one, and retire this one when its last evidence has arrived",
                ])
        }
    }
}
