package import AssayCore
package import AssayTokens
package import FoundationEssentials
import Synchronization

/// Signs the configurations of the apps whose policy says `tokens.configuration: pins`, from the pins and keys of the ledger.
///
/// What was read is used for two seconds, and a signed text until pins, keys or the forced version change. If the ledger does not
/// answer, the configuration that was read last stays in force.
package final class AppConfigurations: Sendable {
    /// How long the configuration is used without reading the ledger.
    package static let lifetime = Duration.seconds(2)
    /// How often the next version is decided anew after another process was faster.
    private static let attempts = 32

    /// A signed text, with the IDs of the keys in it.
    private struct Signed {
        let keyIDs: [String]
        let text: String
    }

    /// One state of the ledger and the keys, with the texts that were signed for it.
    private final class Snapshot: Sendable {
        let state: AppConfigurationState
        let pins: PinSet
        let keys: [NamedKey]
        /// By app.
        let signed: Mutex<[String: Signed]>

        init(_ state: AppConfigurationState, _ pins: PinSet, _ keys: [NamedKey], signed: [String: Signed]) {
            (self.state, self.pins, self.keys) = (state, pins, keys)
            self.signed = Mutex(signed)
        }
    }

    private struct Shared {
        /// The last state that could be read.
        var snapshot: Snapshot?
        var failure: AppConfigurationError?
        var readAt: ContinuousClock.Instant?
        var loading: (since: ContinuousClock.Instant, task: Task<Void, Never>)?
    }

    private let issuers: [String: String]
    private let documents: (any LedgerDocuments)?
    private let keys: any KeyStore
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let shared = Mutex(Shared())

    /// Prepares the configurations of a policy's apps; nil if no app gets one.
    ///
    /// - Parameters:
    ///   - documents: the ledger; nil for one without documents.
    ///   - clock: the time that decides when to read the ledger again.
    package init?(
        _ policy: VerificationPolicy, _ documents: (any LedgerDocuments)?, _ keys: any KeyStore,
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        var issuers: [String: String] = [:]
        for app in policy.apps {
            guard let tokens = app.configuration(TokenConfiguration.self), tokens.configuration == .pins else {
                continue
            }
            issuers[app.name] = tokens.issuer
        }
        guard !issuers.isEmpty else { return nil }
        (self.issuers, self.documents, self.keys, self.clock) = (issuers, documents, keys, clock)
    }

    /// The names of the apps that get a configuration.
    package var apps: [String] { issuers.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }

    /// The configuration that an app is to take over.
    ///
    /// - Parameters:
    ///   - held: what the app has.
    ///   - device: the device of accepted evidence; nil for none.
    /// - Returns: nil if the app has it already, or gets none.
    package func configuration(
        of app: String, for device: LedgerSubject?, held: HeldConfiguration, at now: Date
    ) async throws(AppConfigurationError) -> String? {
        guard let issuer = issuers[app] else { return nil }
        let snapshot = try await current(at: now)
        let state = snapshot.state
        let mode = device.flatMap { state.mode(of: $0, at: now) }
        guard held.version < state.version || held.version == state.version && held.mode != mode?.mode ?? .pin else {
            return nil
        }
        guard let mode else { return try Self.text(of: app, issuer, snapshot, at: now) }
        return try Self.claims(of: app, issuer, snapshot, mode, at: now).signed(at: now)
    }

    /// The configuration for all devices of an app.
    package func configuration(of app: String, at now: Date) async throws(AppConfigurationError) -> String {
        guard let issuer = issuers[app] else {
            throw .refused("the policy gives app \(app.excerpt) no configuration: set tokens.configuration: pins")
        }
        return try Self.text(of: app, issuer, try await current(at: now), at: now)
    }

    private static func text(
        of app: String, _ issuer: String, _ snapshot: Snapshot, at now: Date
    ) throws(AppConfigurationError) -> String {
        let claims = try claims(of: app, issuer, snapshot, nil, at: now)
        let keyIDs = claims.keys.map(\.keyID)
        if let signed = snapshot.signed.withLock({ $0[app] }), signed.keyIDs == keyIDs { return signed.text }
        let text = try claims.signed(at: now)
        snapshot.signed.withLock { $0[app] = Signed(keyIDs: keyIDs, text: text) }
        return text
    }

    private static func claims(
        of app: String, _ issuer: String, _ snapshot: Snapshot, _ mode: DevicePinMode?, at now: Date
    ) throws(AppConfigurationError) -> AppConfigurationClaims {
        let signers = ConfigurationKey.signers(snapshot.keys, of: app, at: now)
        guard !signers.isEmpty else { throw noKey(of: app) }
        return AppConfigurationClaims(
            issuer: issuer, app: app, version: snapshot.state.version, force: snapshot.state.force,
            pins: snapshot.pins, keys: signers, mode: mode)
    }

    private static func noKey(of app: String?) -> AppConfigurationError {
        .refused(
            "no key for \(ConfigurationKey.purpose) may sign now\(app.map { " for app \($0.excerpt)" } ?? ""): assay keys add adds one; in a "
                + "ledger that never had one, a service with a master key makes it")
    }

    // MARK: The ledger

    private func current(at now: Date) async throws(AppConfigurationError) -> Snapshot {
        let time = clock()
        let task: Task<Void, Never>? = shared.withLock { shared in
            if let readAt = shared.readAt, time < readAt + Self.lifetime { return nil }
            if let loading = shared.loading, time < loading.since + Self.lifetime { return loading.task }
            // Not a child task: cancelling one caller must not cause an outage for the others.
            let task = Task { await self.read(at: now, since: time) }
            shared.loading = (time, task)
            return task
        }
        await task?.value
        let (snapshot, failure) = shared.withLock { ($0.snapshot, $0.failure) }
        if let snapshot {
            switch failure {
            case nil, .outage: return snapshot
            case .refused: break
            }
        }
        throw failure ?? .refused("the configuration was not read")
    }

    private func read(at now: Date, since time: ContinuousClock.Instant) async {
        let known = shared.withLock { $0.snapshot }
        let result: Result<Snapshot, AppConfigurationError>
        do throws(AppConfigurationError) { result = .success(try await snapshot(after: known, at: now)) } catch {
            result = .failure(error)
        }
        shared.withLock { shared in
            if shared.loading?.since == time { shared.loading = nil }
            // A later read was faster.
            if let readAt = shared.readAt, readAt > time { return }
            shared.readAt = time
            switch result {
            case .success(let snapshot): (shared.snapshot, shared.failure) = (snapshot, nil)
            case .failure(let failure): shared.failure = failure
            }
        }
    }

    /// Reads the ledger, and stores the next version if pins or keys are others than the version stands for.
    private func snapshot(after known: Snapshot?, at now: Date) async throws(AppConfigurationError) -> Snapshot {
        guard let documents else {
            throw .refused(
                "the policy says tokens.configuration: pins, and the ledger keeps no documents, and so no pins")
        }
        let named: [NamedKey]
        do throws(KeyStoreOutage) { named = try await keys.keys(for: ConfigurationKey.purpose) } catch {
            throw .outage(error)
        }
        let keyIDs = ConfigurationKey.keyIDs(named, at: now)
        guard !keyIDs.isEmpty else { throw Self.noKey(of: nil) }
        do throws(LedgerOutage) {
            for _ in 0..<Self.attempts {
                let stored = try await documents.document(named: AppConfigurationState.documentName)
                // After the state, so that the pins are not older than those that its version stands for.
                let pins = try await documents.document(named: PinSet.documentName)
                var state = AppConfigurationState()
                if let stored { state = try AppConfigurationState(stored: stored.bytes) }
                let revision = pins?.revision ?? 0
                if !state.standsFor(pins: revision, keys: keyIDs) {
                    state.advance(pins: revision, keys: keyIDs)
                    let isStored = try await documents.store(
                        state.stored, named: AppConfigurationState.documentName, replacing: stored?.revision ?? 0,
                        at: now)
                    guard isStored else { continue }
                }
                let isKnown = known.map { $0.state.version == state.version && $0.state.pins == state.pins } ?? false
                let set =
                    if isKnown, let known {
                        known.pins
                    } else {
                        try pins.map { (found) throws(LedgerOutage) in try PinSet(stored: found.bytes) } ?? PinSet()
                    }
                let texts = known.flatMap { known in
                    isKnown && known.state.force == state.force ? known.signed.withLock { $0 } : nil
                }
                return Snapshot(state, set, named, signed: texts ?? [:])
            }
        } catch { throw .outage(error) }
        throw .outage(LedgerOutage(.locked, "other processes change \(AppConfigurationState.title) all the time"))
    }
}
