package import AssayCore
import FoundationEssentials
import Synchronization

/// Writes device recall bits with Google's servers.
package protocol DeviceRecallWriter: EngineService {
    /// Changes bits of the device that made a token. Bits without a value stay as they are.
    /// - Returns: Google's words if it refuses the token; nil if the bits are written.
    func writeRecall(
        _ bits: DeviceRecallBits<Bool>, with token: String, packageName: String
    ) async throws(IntegrityDecoderOutage) -> String?
}

/// Bans the devices of blocked accounts by device recall, and lifts bans, under `deviceRecall.blocks: ban`, when the next token of the
/// device comes: only a token reaches its bits. A failure changes no verdict, and the next token tries again.
final class DeviceRecallBans: Sendable {
    /// The most writes for an account in an hour: verdicts show a bit only after up to 30 seconds.
    static let limit = 3
    private static let period = 3600.0
    /// The most accounts that are counted. Only accounts with a block or an allowance are.
    private static let capacity = 50_000

    private let writer: any DeviceRecallWriter
    private let writes = Mutex<[String: (count: Int, since: Date)]>([:])

    /// Prepares bans with the first writer among the services; nil without one.
    init?(_ services: [any EngineService]) {
        guard let writer = services.lazy.compactMap({ $0 as? any DeviceRecallWriter }).first else { return nil }
        self.writer = writer
    }

    /// Sets the bit of a device whose token only the block of its account rejects, or clears that of one whose token an allowance of
    /// `play-integrity.device-recall` excuses. The result of that check says so.
    func settle(
        _ assessment: Assessment, _ evidence: StandardIntegrityInput.Evidence, _ standings: AccountStandings,
        _ configuration: PlayIntegrityConfiguration, at now: Date
    ) async -> Assessment {
        let check = CheckID.playIntegrityDeviceRecall
        guard let bit = configuration.android?.banningBit, let account = standings.account,
            case .token(let token) = evidence,
            let facts = assessment.subject as? PlayIntegritySubject,
            let isSet = facts.payload.deviceIntegrity.deviceRecall?.values[bit],
            let result = assessment.checks.first(where: { $0.check == check })
        else { return assessment }
        let isAllowed = standings.standings.contains { $0.allowance?.checks.contains(check) == true }
        let isDue =
            isSet
            ? isAllowed && assessment.isAcceptable && result.status == .annotated
            : assessment.isOnlyBlocked && result.status == .passed
        guard isDue, take(account, at: now) else { return assessment }
        var bits = DeviceRecallBits<Bool>()
        bits[bit] = !isSet
        let failure: String?
        do {
            failure = try await writer.writeRecall(bits, with: token, packageName: configuration.packageName).map {
                "Google refuses it: \($0)"
            }
        } catch {
            failure = error.description
        }
        let change = "\(bit.rawValue) \(isSet ? "is cleared" : "is set")"
        let sentence = failure.map { "\(change) later, as it could not be written now: \($0)" }
        if isSet {
            let known = result.finding?.detail ?? bit.rawValue
            return assessment.noting(Finding(.deviceRecallSet, "\(known); \(sentence ?? "\(change) now")"), on: check)
        }
        return assessment.noting(
            sentence.map { sentence in Finding(.deviceRecallNotWritten, sentence) }
                ?? Finding(.deviceRecallBanned, "\(change) now, as an operator blocked the account"),
            on: check)
    }

    /// Counts a write for an account. False if there were as many as allowed.
    private func take(_ account: String, at now: Date) -> Bool {
        writes.withLock { writes in
            if writes.count >= Self.capacity { writes = [:] }
            var entry = writes[account] ?? (0, now)
            if abs(now.timeIntervalSince(entry.since)) >= Self.period { entry = (0, now) }
            guard entry.count < Self.limit else { return false }
            writes[account] = (entry.count + 1, entry.since)
            return true
        }
    }
}
