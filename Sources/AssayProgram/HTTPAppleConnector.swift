package import Assay
import AssayAppleServices
import AssayCLI
package import AssayCore
import AssayKeyStore

/// Connects to Apple's servers through AssayAppleServices.
struct HTTPAppleConnector: AppleConnector {
    var queue: String { KeptReceipt.queue }

    func connect(ledger: any LedgerAdministration, masterKey: MasterKey?) -> any AppleConnection {
        AppleServices(ledger: ledger, masterKey: masterKey)
    }

    func describe(_ task: LedgerTask) -> KeptReceiptDescription? {
        guard let kept = try? KeptReceipt(task: task), let times = try? kept.times() else { return nil }
        return KeptReceiptDescription(
            app: kept.app, createdAt: times.createdAt, expiresAt: times.expiresAt, riskMetric: kept.riskMetric,
            outcome: kept.outcome?.rawValue, isSealed: kept.isSealed)
    }
}

extension AppleServices: AppleConnection {
    package func exchange(
        keyID: [UInt8], _ verifier: Verifier
    ) async throws(LedgerOutage) -> (outcome: String, outage: (any Outage)?)? {
        try await refresh(keyID: keyID, verifier).map { ($0.outcome.rawValue, $0.outage) }
    }

    package func exchangeDue(_ verifier: Verifier) async throws(LedgerOutage) -> (count: Int, outage: (any Outage)?) {
        let round = try await refreshDue(verifier)
        return (round.count, round.outage)
    }
}
