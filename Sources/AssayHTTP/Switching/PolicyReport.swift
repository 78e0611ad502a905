import Assay
package import AssayCore
package import CoreMetrics
package import Foundation
package import Logging

/// A policy that a server brought into force in place of another: for its log, its metrics, and the audit trail of its ledger.
///
/// A file that was cut can be a valid policy with fewer apps and checks. The report names what is gone.
package struct PolicyReport: Sendable {
    /// SHA-256 of the policy file before, in hexadecimal digits, as `sha256sum` prints it.
    private let previousDigest: String
    private let digest: String
    /// What is different.
    private let difference: PolicyDifference
    /// How many bytes an entry of the audit trail says about the changes.
    private static let longestDetail = 4096

    /// Compares the texts and the effective texts of two policies.
    package init(
        from old: PolicyText, to new: PolicyText
    ) throws(PolicyError) {
        (previousDigest, digest) = (old.digest, new.digest)
        difference = try PolicyDifference(from: old.effective, to: new.effective)
    }

    /// A policy file as read.
    package struct PolicyText: Sendable {
        /// SHA-256 of the file.
        package let digest: String
        /// The policy as YAML, with all defaults.
        package let effective: String

        /// Hashes the text of a policy file.
        ///
        /// - Parameter effective: the same policy as YAML, with all defaults.
        package init(_ text: String, effective: String) {
            digest = Self.digest(of: text)
            self.effective = effective
        }

        /// SHA-256 of the text of a policy file.
        package static func digest(of text: String) -> String { PolicyFile.digest(of: text) }
    }

    /// The changes after which more may be accepted, in words; nil if there are none.
    package var weaknesses: String? {
        difference.weaker.isEmpty ? nil : PolicyDifference.summary(difference.weaker)
    }

    /// The names of keys that no app listed before.
    package var newKeys: [String] { difference.newKeys }

    /// Whether another file is in force.
    package var isChange: Bool { digest != previousDigest || !difference.changes.isEmpty }

    /// The fields of an entry of the log.
    package var metadata: Logger.Metadata {
        func names(_ effect: PolicyDifference.Change.Effect, _ subject: PolicyDifference.Change.Subject)
            -> Logger.Metadata.Value
        {
            .array(
                difference.changes.filter { $0.effect == effect && $0.subject == subject }.prefix(100).map {
                    "\($0.name.excerpt)"
                })
        }
        return [
            "assay.policyDigest": "\(digest)", "assay.previousDigest": "\(previousDigest)",
            "assay.appsAdded": names(.added, .app), "assay.appsRemoved": names(.removed, .app),
            "assay.checksAdded": names(.added, .check), "assay.checksRemoved": names(.removed, .check),
            "assay.changes": "\(PolicyDifference.summary(difference.changes))",
        ]
    }

    /// Writes the warning for changes after which more may be accepted.
    package func warn(_ logger: Logger) {
        guard let weaknesses else { return }
        logger.warning(
            "the policy may accept more than before",
            metadata: ["assay.policyDigest": "\(digest)", "assay.changes": "\(weaknesses)"])
    }

    /// Counts the changes.
    package func count(_ factory: any MetricsFactory) {
        for change in difference.changes {
            Self.count(change.subject, change.effect, factory)
        }
    }

    /// Counts one change.
    static func count(
        _ subject: PolicyDifference.Change.Subject, _ effect: PolicyDifference.Change.Effect,
        _ factory: any MetricsFactory
    ) {
        Counter(
            label: MetricName.policyChanges.rawValue,
            dimensions: [("subject", subject.rawValue), ("effect", effect.rawValue)], factory: factory
        ).increment()
    }

    /// Adds an entry to the audit trail of a ledger that has one, unless another server has. A failure is logged and counted: the policy
    /// is in force all the same.
    ///
    /// - Parameters:
    ///   - operatorName: who asked for it; nil for a changed file or a signal.
    ///   - cause: why the file was read.
    package func record(
        in ledger: any Ledger, by operatorName: String?, because cause: String, at now: Date, _ logger: Logger,
        _ factory: any MetricsFactory
    ) async {
        guard isChange else { return }
        let changes =
            difference.changes.isEmpty
            ? "no app, check, rule or route changed" : PolicyDifference.summary(difference.changes, atMost: 100)
        let detail = "\(cause); before sha256:\(previousDigest); \(changes)"
        await Self.record(
            LedgerChange(
                at: now, operatorName: operatorName, action: .changePolicy, subject: Self.subject(digest),
                detail: detail.utf8.count > Self.longestDetail
                    ? String(decoding: detail.utf8.prefix(Self.longestDetail), as: UTF8.self) + "..." : detail),
            in: ledger, logger, factory
        ) { (ledger) async throws(LedgerOutage) in try await isDue(in: ledger, at: now) }
    }

    private static func subject(_ digest: String) -> String { "policy sha256:\(digest)" }

    /// The document with the digest of the policy file that was recorded last.
    private static let document = "recorded-policy"

    /// Whether this server writes the entry: of the servers that share a ledger and read the same file, the first one does.
    ///
    /// The server that stores the digest writes the entry. If the trail lacks it a second later, such as when that server ended in
    /// between, the next one writes it: rather twice than never.
    private func isDue(in ledger: any LedgerAdministration, at now: Date) async throws(LedgerOutage) -> Bool {
        let bytes = Array(digest.utf8)
        let stored = try await ledger.document(named: Self.document)
        if stored?.bytes != bytes,
            try await ledger.store(bytes, named: Self.document, replacing: stored?.revision ?? 0, at: now)
        {
            return true
        }
        if try await isRecorded(in: ledger) { return false }
        try? await Task.sleep(for: .seconds(1))
        return try await !isRecorded(in: ledger)
    }

    /// Whether the trail has an entry of this file that is later than the last one of the file before.
    private func isRecorded(in ledger: any LedgerAdministration) async throws(LedgerOutage) -> Bool {
        func last(_ digest: String) async throws(LedgerOutage) -> Int? {
            try await ledger.auditEntries(of: Self.subject(digest), before: nil, atMost: 1).first?.number
        }
        guard let present = try await last(digest) else { return false }
        return try await last(previousDigest) ?? 0 < present
    }

    /// Adds an entry to the audit trail of a ledger that has one.
    ///
    /// - Parameter isDue: whether the entry is to be written.
    static func record(
        _ change: LedgerChange, in ledger: any Ledger, _ logger: Logger, _ factory: any MetricsFactory,
        if isDue: (any LedgerAdministration) async throws(LedgerOutage) -> Bool = { _ in true }
    ) async {
        guard let ledger = ledger as? any LedgerAdministration else { return }
        do throws(LedgerOutage) {
            if try await isDue(ledger) { try await ledger.record(change) }
        } catch {
            let labels = zip(MetricName.outages.labels, [LedgerOutage.part, error.code.name])
            Counter(label: MetricName.outages.rawValue, dimensions: Array(labels), factory: factory).increment()
            logger.error(
                "the audit trail lacks a change of the policy, which is in force",
                metadata: [
                    "assay.problem": "\(error)", "assay.changes": "\(change.subject)",
                ])
        }
    }
}
