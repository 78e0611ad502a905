public import Assay
public import AssayCore
package import Foundation

/// Apple's services for a verifier: keeps the receipts of accepted attestations, and exchanges them while it runs.
///
/// Pass it to a `Verifier` in `services`, and run it in a task of its own:
///
///     let apple = AppleServices(ledger: ledger, masterKey: masterKey)
///     let verifier = Verifier(policy: policy, ledger: ledger, keyStores: [keys], services: [apple])
///     await apple.run({ verifier }, log: { print($0) })
///
/// Keys are those of the purpose `apple-services` in the policy and the key stores of the verifier.
public final class AppleServices: AcceptanceObserver, BackgroundService {
    let client: AppleServicesClient
    private let report = ReceiptReports()
    private let keeper: ReceiptKeeper
    private let scheduler: ReceiptScheduler

    /// Prepares the services. Sends nothing before ``run(_:log:)``.
    ///
    /// - Parameters:
    ///   - ledger: keeps the receipts.
    ///   - masterKey: seals receipts where the policy says `receipt.keep: sealed`; nil for none.
    ///   - interval: the average time between two exchanges of a key, in seconds: a day to a week.
    public convenience init(
        ledger: any LedgerAdministration, masterKey: MasterKey?, settings: AppleServicesSettings = .init(),
        interval: Double = 3 * 86_400
    ) {
        self.init(ledger: ledger, masterKey: masterKey, settings: settings, interval: interval, time: .system)
    }

    /// Prepares the services with other clocks.
    package init(
        ledger: any LedgerAdministration, masterKey: MasterKey?, settings: AppleServicesSettings,
        interval: Double, time: ClientTime, holder: String = AppleServices.processName
    ) {
        client = AppleServicesClient(keys: StaticKeyStore([]), settings: settings, time: time)
        let plan = ReceiptPlan(interval: interval)
        keeper = ReceiptKeeper(ledger: ledger, masterKey: masterKey, plan: plan, time: time, report: report)
        scheduler = ReceiptScheduler(
            client: client, ledger: ledger, masterKey: masterKey, plan: plan, time: time, report: report,
            holder: holder)
    }

    /// The name of this process in leases.
    package static var processName: String {
        "\(ProcessInfo.processInfo.hostName.prefix(64)):\(ProcessInfo.processInfo.processIdentifier)"
    }

    /// Exchanges receipts that are due until the task is cancelled.
    ///
    /// - Parameters:
    ///   - verifier: the verifier in force.
    ///   - log: takes sentences for operators, without secrets.
    public func run(
        _ verifier: @escaping @Sendable () -> Verifier, log: @escaping @Sendable (String) -> Void
    ) async {
        report.setLog(log)
        await scheduler.run(verifier)
    }

    /// Passes sentences for operators to a log.
    package func setLog(_ log: @escaping @Sendable (String) -> Void) { report.setLog(log) }

    /// Exchanges the receipts that are due now, at most one batch. Returns how many were due.
    package func refreshDue(_ verifier: Verifier) async throws(LedgerOutage) -> ReceiptRound {
        try await scheduler.refreshDue(verifier)
    }

    /// Exchanges the receipt of a key now; nil if none is kept, or another process works on it.
    package func refresh(
        keyID: [UInt8], _ verifier: Verifier
    ) async throws(LedgerOutage) -> (outcome: ReceiptOutcome, outage: AppleServicesOutage?)? {
        try await scheduler.refresh(keyID: keyID, verifier)
    }

    /// Attestations.
    package var observedKinds: [EvidenceKind] { Self.kinds }
    private static let kinds = [EvidenceKind.appAttestAttestation]

    /// Keeps the receipt of an accepted attestation.
    package func accepted(_ verdict: Verdict, by verifier: Verifier, at now: Date) async {
        await keeper.accepted(verdict, by: verifier, at: now)
    }

    /// Closes all connections.
    public func shutdown() async { await client.shutdown() }
}
