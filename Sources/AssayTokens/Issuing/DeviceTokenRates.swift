package import AssayCore
package import FoundationEssentials
import Synchronization

/// Counts how often each device got tokens in the current hour (UTC), in the memory of this process. As a service of a verifier, it keeps
/// its counts when the policy is read again.
package final class DeviceTokenRates: EngineService {
    private struct Hour {
        var number = 0
        /// By a hash of the device with a key of the process: only genuine devices are counted, and none can choose the hash.
        var counts: [Int: Int] = [:]
    }

    /// The most devices in an hour. Further ones are not limited.
    private static let maximumDevices = 1_000_000

    private let hour = Mutex(Hour())

    /// Starts with nothing.
    package init() {}

    /// How often a device got tokens in the hour of a time.
    package func count(of device: LedgerSubject, app: String, at now: Date) -> Int {
        let number = Self.number(at: now)
        return hour.withLock { $0.number == number ? $0.counts[Self.hash(device, app)] ?? 0 : 0 }
    }

    /// Counts a device, unless it got tokens in the hour as often as a limit allows.
    ///
    /// - Returns: whether it may get tokens.
    @discardableResult
    package func take(_ device: LedgerSubject, app: String, atMost limit: Int = .max, at now: Date) -> Bool {
        let (number, hash) = (Self.number(at: now), Self.hash(device, app))
        return hour.withLock { hour in
            if hour.number != number { hour = Hour(number: number) }
            guard hour.counts.count < Self.maximumDevices || hour.counts[hash] != nil else { return true }
            guard hour.counts[hash, default: 0] < limit else { return false }
            hour.counts[hash, default: 0] += 1
            return true
        }
    }

    /// Takes back the count of a device that got no tokens after all.
    package func giveBack(_ device: LedgerSubject, app: String, at now: Date) {
        let (number, hash) = (Self.number(at: now), Self.hash(device, app))
        hour.withLock { hour in
            guard hour.number == number, let count = hour.counts[hash] else { return }
            hour.counts[hash] = count > 1 ? count - 1 : nil
        }
    }

    private static func number(at now: Date) -> Int { Int((now.timeIntervalSince1970 / 3600).rounded(.down)) }

    private static func hash(_ device: LedgerSubject, _ app: String) -> Int {
        var hasher = Hasher()
        hasher.combine(app)
        hasher.combine(device.kind)
        hasher.combine(device.name)
        return hasher.finalize()
    }
}
