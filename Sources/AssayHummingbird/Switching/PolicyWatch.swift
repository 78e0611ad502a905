import Approov
public import Assay
public import AssayCore
import Foundation
public import Logging
public import ServiceLifecycle
import UnixSignals

/// Reads the policy file again when it changes and on SIGHUP, so that whoever is on call edits it and the running server
/// follows: another `enforcement`, other keys, other checks.
///
/// A file that cannot be used changes nothing and is logged as an error, and so does one that rejects and leaves an app
/// without a live key, under which every request would be an error. Files that the policy refers to, such as secrets,
/// are read with it: after a change of theirs alone send SIGHUP, or touch the policy.
///
///     let watch = PolicyWatch(path: "policy.yaml", live: live, logger: logger) { policy in
///         Verifier(policy: policy, ledger: ledger)
///     }
///     let app = Application(router: router, services: [watch], logger: logger)
public struct PolicyWatch: Service {
    private let path: String
    private let live: LiveVerifier
    private let interval: Duration
    private let logger: Logger
    private let makeVerifier: @Sendable (Policy) async throws -> Verifier

    /// Prepares to watch.
    ///
    /// - Parameters:
    ///   - path: the policy file.
    ///   - live: gets the new verifiers.
    ///   - interval: how often to look whether the file has changed.
    ///   - logger: gets a notice for every policy, and an error for one that cannot be used.
    ///   - makeVerifier: makes the verifier of a policy: with the same ledger and the same key stores.
    public init(
        path: String, live: LiveVerifier, interval: Duration = .seconds(2), logger: Logger,
        makeVerifier: @escaping @Sendable (Policy) async throws -> Verifier
    ) {
        self.path = path
        self.live = live
        self.interval = interval
        self.logger = logger
        self.makeVerifier = makeVerifier
    }

    /// Watches until the server shuts down.
    public func run() async throws {
        // One reader for both causes, so that the policy that was read last is the one in force.
        let (causes, asked) = AsyncStream.makeStream(of: Cause.self, bufferingPolicy: .bufferingNewest(2))
        let signals = await UnixSignalsSequence(trapping: .sighup)
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await _ in signals { asked.yield(.signal) }
                }
                group.addTask { await poll(asked) }
                for await cause in causes { await reload(because: cause) }
                group.cancelAll()
            }
        }
    }

    private enum Cause: String {
        case start = "the watch began"
        case change = "the file changed"
        case signal = "SIGHUP"
    }

    /// What tells that a file is another one, or was touched.
    private struct Fingerprint: Equatable {
        let modified: Date?
        let contents: Data?

        init(path: String) {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            modified = attributes?[.modificationDate] as? Date
            // `Data(contentsOf:)` loses 4 KiB each time that it reads an empty file.
            let file = FileHandle(forReadingAtPath: path)
            contents = file.flatMap { try? $0.readToEnd() ?? Data() }
            try? file?.close()
        }
    }

    /// Looks at the file. It may have changed since the server read it, so that it is read once at the beginning. A file
    /// that is being written is left alone until it has been the same twice: half of a policy may be a policy as well, and
    /// one that demands less.
    private func poll(_ asked: AsyncStream<Cause>.Continuation) async {
        var known = Fingerprint(path: path)
        var former = known
        asked.yield(.start)
        while !Task.isCancelled {
            try? await Task.sleep(for: interval)
            let present = Fingerprint(path: path)
            if present != known, present == former {
                known = present
                asked.yield(.change)
            }
            former = present
        }
    }

    /// Refuses a policy under which every request would be an error: one that rejects, and whose app has no live key. A
    /// policy that lets requests go on is taken even so, since it may be the way out.
    private func demandKeys(of verifier: Verifier) async throws(RequestError) {
        for app in verifier.policy.apps where live.isInUse(app.name) {
            guard app.configuration(ApproovConfiguration.self)?.enforcement == .reject else { continue }
            do throws(VerificationError) {
                // The keys are looked up first, and nothing is remembered of a token that is rejected.
                _ = try await verifier.verifyApproovToken(ApproovTokenInput(token: ""), app: app.name, at: Date())
            } catch {
                // In an outage nobody knows which keys there are.
                if case .request(let problem) = error { throw problem }
            }
        }
    }

    private func reload(because cause: Cause) async {
        let metadata: Logger.Metadata = ["approov.policy": "\(path)", "approov.cause": "\(cause.rawValue)"]
        do {
            let policy = try PolicyFile.load(path: path)
            let verifier = try await makeVerifier(policy)
            try await demandKeys(of: verifier)
            try live.exchange(for: verifier)
            logger.notice("Approov policy in force", metadata: metadata)
        } catch {
            logger.error(
                "Approov policy cannot be used, and the one before stays in force",
                metadata: metadata.merging(["approov.problem": "\(error)"]) { $1 })
        }
    }
}
