import AssayCore
import AssayPrimitives
import FoundationEssentials
import Synchronization

/// Counts the distinct devices of each app, together with the other processes of a ledger.
///
/// The sketches contain HMAC-SHA256 of the identifiers under a key that is random for each ledger: without the key a sketch says
/// nothing about a device. Memory is bounded: at most 96 KiB an app, and the table of devices seen last.
package final class DistinctDevices: Sendable {
    /// The document with the key, 32 random bytes.
    private static let keyName = "distinct-devices-key"
    /// How often a document is read again because another process was faster. Later exchanges make up for it.
    private static let attempts = 8
    /// How many devices the table of those seen last has at most, in pairs of places.
    private static let seenSize = 8192

    private struct State {
        var key: [UInt8] = []
        var apps: [String: DevicePeriods] = [:]
        /// Hashes of app, hour and device, by their last bits: most requests come from a device that was seen a moment ago, and
        /// need no HMAC.
        var seen = [UInt64](repeating: 0, count: seenSize)

        /// Notes a hash, in place of the older one of its pair. Returns whether it was there.
        mutating func see(_ hash: UInt64) -> Bool {
            let place = Int(hash & UInt64(seenSize - 2))
            if seen[place] == hash || seen[place + 1] == hash { return true }
            seen[place + 1] = seen[place]
            seen[place] = hash
            return false
        }
    }

    private let state = Mutex(State())

    /// Counts nothing before the first ``exchange(with:apps:at:)``.
    package init() {}

    /// Adds the device or key of a subject; nothing if it names none.
    ///
    /// - Parameter sighting: the hash of the app's name.
    func note(_ subject: any EngineSubject, app: String, _ sighting: SightingHash, at now: Date) {
        var hash = sighting
        guard subject.hashDevice(into: &hash) else { return }
        hash.combine(UInt64(bitPattern: now.microseconds / 3_600_000_000))
        let key: [UInt8]? = state.withLock { state in
            state.key.isEmpty || state.see(hash.value) ? nil : state.key
        }
        guard let key, let identifier = subject.identifier else { return }
        let code = HMAC.sha256(key: key, Array(identifier.utf8))
        let value = code.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        state.withLock { $0.apps[app, default: DevicePeriods()].add(value, at: now) }
    }

    /// Merges the sketches with those that other processes have stored, and stores the result.
    ///
    /// - Returns: the estimates of each app, in the order of ``DevicePeriods/names``.
    func exchange(
        with documents: any LedgerDocuments, apps: [String], at now: Date
    ) async throws(LedgerOutage) -> [(app: String, estimates: [Double])] {
        if state.withLock({ $0.key.isEmpty }) {
            let key = try await Self.sharedKey(documents, at: now)
            state.withLock { $0.key = key }
        }
        var found: [(app: String, estimates: [Double])] = []
        for app in apps {
            let merged = try await exchange(app, with: documents, at: now)
            found.append((app, merged.estimates))
        }
        return found
    }

    private func exchange(
        _ app: String, with documents: any LedgerDocuments, at now: Date
    ) async throws(LedgerOutage) -> DevicePeriods {
        // Not the app's own name, which may be none that a document can have.
        let name = "distinct-devices-" + Array(Digest.sha256(Array(app.utf8)).prefix(16)).hexadecimal
        for _ in 0..<Self.attempts {
            let document = try await documents.document(named: name)
            var stored = document.flatMap { DevicePeriods(encoded: $0.bytes) } ?? DevicePeriods()
            stored.turn(to: now)
            let merged = state.withLock { state in
                var own = state.apps[app] ?? DevicePeriods()
                own.turn(to: now)
                own.merge(stored)
                if state.apps[app] != nil || !own.isEmpty { state.apps[app] = own }
                return own
            }
            guard merged != stored, !merged.isEmpty else { return merged }
            let isStored = try await documents.store(
                merged.encoded, named: name, replacing: document?.revision ?? 0, at: now)
            if isStored { return merged }
        }
        return state.withLock { $0.apps[app] ?? DevicePeriods() }
    }

    /// The key of the ledger; the first process draws it.
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
