import AssayPrimitives
package import FoundationEssentials

/// Which recent verdicts are wanted. What is nil does not count.
package struct RecentSelection: Sendable {
    package var app: String?
    /// The name of a check that failed or was annotated, its first parts, or a code.
    package var check: String?
    package var outcome: RecentVerdict.Outcome?
    /// The key, base64 in either alphabet.
    package var key: String?
    package var device, account, record, request: String?
    /// The first time.
    package var since: Date?
    /// Only verdicts recorded before the one with this ``RecentVerdict/number``.
    package var before: Int?
    /// The most verdicts.
    package var limit = 100

    /// Selects all.
    package init() {}

    /// Whether a verdict is wanted.
    func contains(_ verdict: RecentVerdict) -> Bool {
        func isWanted(_ wanted: String?, _ found: String?) -> Bool {
            guard let wanted else { return true }
            return found?.isByteEqual(to: RecentVerdict.cut(wanted)) ?? false
        }
        return before.map { verdict.number < $0 } ?? true
            && since.map { verdict.time >= $0 } ?? true
            && outcome.map { verdict.outcome == $0 } ?? true
            && isWanted(app, verdict.app) && isWanted(device, verdict.device)
            && isWanted(account, verdict.account) && isWanted(record, verdict.record)
            && isWanted(request, verdict.request)
            && (isWanted(key, verdict.key) || Self.isSame(key, verdict.key))
            && (check.map { isAbout($0, verdict) } ?? true)
    }

    private static func isSame(_ key: String?, _ other: String?) -> Bool {
        guard let key, let other, let bytes = AnyBase64.decode(key) else { return false }
        return AnyBase64.decode(other) == bytes
    }

    private func isAbout(_ name: String, _ verdict: RecentVerdict) -> Bool {
        let beginning = name.hasSuffix(".") ? name : name + "."
        return verdict.code?.isByteEqual(to: name) ?? false
            || verdict.checks.contains { check in
                check.name.isByteEqual(to: name) || check.name.utf8.starts(with: beginning.utf8)
                    || check.code?.isByteEqual(to: name) ?? false
            }
    }
}
