import AssayCore
import AssayPrimitives
import FoundationEssentials
import Synchronization

/// Counts the distinct devices of each app whose evidence was accepted, and those whose evidence was refused, over all processes of a
/// ledger.
///
/// The sketches contain HMAC-SHA256 of the identifiers under a random key of the ledger. Without this key a sketch
/// discloses nothing about a device. Memory is bounded: at most 192 KiB per app, and the table of recent devices.
package final class DistinctDevices: Sendable {
    /// What the devices have in common. The raw value begins the names of the ledger's documents.
    enum Series: String, Sendable {
        case accepted = "distinct-devices-"
        case refused = "refused-devices-"
    }

    /// The document with the key, 32 random bytes.
    private static let keyName = "distinct-devices-key"
    /// How often to retry storing a document after another process has stored it first. Later exchanges catch up.
    private static let attempts = 8
    /// The number of places in the table of recent devices. Two neighbouring places form a bucket.
    private static let seenSize = 8192

    private struct State {
        var key: [UInt8] = []
        var apps: [Series: [String: DevicePeriods]] = [:]
        /// Hashes of app, series, hour and device, indexed by their low bits. Most requests come from a recently seen device
        /// and skip the HMAC.
        var seen = [UInt64](repeating: 0, count: seenSize)

        /// Adds a hash and replaces the older one of its bucket. Returns whether it was present.
        mutating func see(_ hash: UInt64) -> Bool {
            let place = Int(hash & UInt64(seenSize - 2))
            if seen[place] == hash || seen[place + 1] == hash { return true }
            seen[place + 1] = seen[place]
            seen[place] = hash
            return false
        }
    }

    private let state = Mutex(State())

    /// Creates a counter. It counts nothing before the first ``exchange(_:with:apps:at:)``.
    package init() {}

    /// Whether a device is to be added: false if it was seen in the same hour a moment ago, and before the first exchange.
    ///
    /// - Parameter sighting: the hash of the app's name and the device.
    func isNew(_ sighting: inout DeviceHash, among series: Series, at now: Date) -> Bool {
        if case .refused = series { sighting.combine(1) }
        sighting.combine((now.timeIntervalSince1970 / 3600).rounded(.down).bitPattern)
        return state.withLock { state in !state.key.isEmpty && !state.see(sighting.value) }
    }

    /// Adds the identifier of a device or key.
    func add(_ identifier: String, to series: Series, app: String, at now: Date) {
        let key = state.withLock { $0.key }
        let code = HMAC.sha256(key: key, Array(identifier.utf8))
        let value = code.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        state.withLock { $0.apps[series, default: [:]][app, default: DevicePeriods()].add(value, at: now) }
    }

    /// Merges the sketches with those that other processes stored, and stores the result.
    ///
    /// - Returns: the estimates of each app, in the order of ``DevicePeriods/names``.
    func exchange(
        _ series: Series, with documents: any LedgerDocuments, apps: [String], at now: Date
    ) async throws(LedgerOutage) -> [(app: String, estimates: [Double])] {
        if state.withLock({ $0.key.isEmpty }) {
            let key = try await Self.sharedKey(documents, at: now)
            state.withLock { $0.key = key }
        }
        var found: [(app: String, estimates: [Double])] = []
        for app in apps {
            let merged = try await exchange(series, app, with: documents, at: now)
            found.append((app, merged.estimates))
        }
        return found
    }

    private func exchange(
        _ series: Series, _ app: String, with documents: any LedgerDocuments, at now: Date
    ) async throws(LedgerOutage) -> DevicePeriods {
        // Use a hash: the name of an app may be an invalid document name.
        let name = series.rawValue + Array(Digest.sha256(Array(app.utf8)).prefix(16)).hexadecimal
        for _ in 0..<Self.attempts {
            let document = try await documents.document(named: name)
            var stored = document.flatMap { DevicePeriods(encoded: $0.bytes) } ?? DevicePeriods()
            stored.turn(to: now)
            let merged = state.withLock { state in
                var own = state.apps[series]?[app] ?? DevicePeriods()
                own.turn(to: now)
                own.merge(stored)
                if state.apps[series]?[app] != nil || !own.isEmpty { state.apps[series, default: [:]][app] = own }
                return own
            }
            guard merged != stored, !merged.isEmpty else { return merged }
            let isStored = try await documents.store(
                merged.encoded, named: name, replacing: document?.revision ?? 0, at: now)
            if isStored { return merged }
        }
        return state.withLock { $0.apps[series]?[app] ?? DevicePeriods() }
    }

    /// The key of the ledger. The first process generates it.
    private static func sharedKey(
        _ documents: any LedgerDocuments, at now: Date
    ) async throws(LedgerOutage) -> [UInt8] {
        if let stored = try await documents.document(named: keyName) { return stored.bytes }
        var generator = SystemRandomNumberGenerator()
        let drawn = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        if try await documents.store(drawn, named: keyName, replacing: 0, at: now) { return drawn }
        return try await documents.document(named: keyName)?.bytes ?? drawn
    }
}
