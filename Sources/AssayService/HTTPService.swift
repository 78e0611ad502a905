import Assay
import AssayCore
import AssayHummingbird
import AssayKeyStore
import AssayTokens
import CoreMetrics
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

/// The verifier behind HTTP, on a public listener and one for operators.
package struct HTTPService: Sendable {
    /// How often files are compared with what was read of them.
    private static let watchInterval = Duration.seconds(2)
    /// How often gauges are set, and counts of devices are exchanged with other processes.
    private static let metricsInterval = Duration.seconds(30)

    /// How often the service looks whether a key of tokens is due.
    private static let rotationInterval = Duration.seconds(30)

    private let configuration: ServiceConfiguration
    private let inherited: InheritedSockets
    private let parts: ServiceParts
    private let live: LiveService
    private let tls: TLSFiles?
    /// Nil if this is no failover instance.
    private let failover: FailoverState?
    private let deadlines = BodyDeadlines()
    private let logger: Logger

    /// Reads the policy and the files of TLS.
    ///
    /// - Throws: `PolicyError` for the policy, ``ServiceError`` for other files.
    package init(_ configuration: ServiceConfiguration, parts: ServiceParts) throws {
        inherited = try InheritedSockets(ProcessInfo.processInfo.environment)
        var configuration = configuration
        if let descriptor = inherited.publicListener {
            configuration.listen = try InheritedSockets.address(of: descriptor)
        }
        if let descriptor = inherited.admin { configuration.admin = try InheritedSockets.address(of: descriptor) }
        guard !configuration.isOpen || configuration.listen.isLocal && configuration.admin?.isLocal ?? true else {
            throw ServiceError(
                "open: true is for loopback addresses and unix sockets, and an inherited socket is bound to another address"
            )
        }
        self.configuration = configuration
        self.parts = parts
        for outcome in ["success", "failure"] {
            _ = Counter(label: MetricName.reloads.rawValue, dimensions: [("outcome", outcome)], factory: parts.metrics)
        }
        let level = configuration.logLevel
        logger = Logger(label: "assay") { _ in JSONLogHandler(level: level) }
        let (verifier, policy) = try parts.load(configuration.policy)
        try configuration.demandOrigins(for: verifier)
        live = try LiveService(verifier, policy: policy, logger: logger)
        failover = configuration.failover.primary.map { FailoverState(of: $0, parts.metrics) }
        if let certificate = configuration.certificate, let privateKey = configuration.privateKey {
            tls = try TLSFiles(
                certificate: certificate, privateKey: privateKey, clientAuthorities: configuration.clientAuthorities)
        } else {
            tls = nil
        }
    }

    /// Serves until SIGTERM or SIGINT. Then the service becomes unready, waits for the delay, accepts no more connections, and
    /// finishes the requests that it has begun. A second signal ends the process at once, with status 130.
    ///
    /// - Throws: ``ServiceError`` when a listener cannot be opened, and `LedgerOutage` when the ledger does not answer.
    package func run() async throws {
        try await demandTokens()
        // systemd keeps the files of its sockets.
        let own = [
            inherited.publicListener == nil ? configuration.listen : nil,
            inherited.admin == nil ? configuration.admin : nil,
        ]
        let sockets = own.compactMap(\.?.path)
        for path in sockets { try UnixSocket.prepare(path) }
        // Until its mode is set, only this user can connect to a socket.
        if !sockets.isEmpty { umask(0o077) }
        defer { for path in sockets { unlink(path) } }
        let (started, starting) = AsyncStream.makeStream(of: (isAdmin: Bool, address: String).self)
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let group = try serviceGroup { starting.yield((isAdmin: $0, address: $1)) }
        try await withThrowingTaskGroup(of: Bool.self) { tasks in
            tasks.addTask {
                try await serve(group)
                return true
            }
            tasks.addTask {
                await announce(started)
                return false
            }
            tasks.addTask {
                await stop(group, on: signals)
                return false
            }
            tasks.addTask {
                await reloadOnChange()
                return false
            }
            tasks.addTask {
                await deadlines.run()
                return false
            }
            tasks.addTask {
                await refreshMetrics()
                return false
            }
            tasks.addTask {
                await rotateTokenKeys()
                return false
            }
            if let failover {
                tasks.addTask {
                    await failover.watch(configuration.failover, logger, probe: parts.probe)
                    return false
                }
            }
            for service in parts.services.compactMap({ $0 as? any BackgroundService }) {
                tasks.addTask {
                    await service.run({ live.verifier }) { notice in
                        logger.warning("background service", metadata: ["assay.notice": "\(notice)"])
                    }
                    return false
                }
            }
            while let isEnd = try await tasks.next(), !isEnd {}
            tasks.cancelAll()
        }
        // What was counted since the last time.
        await live.verifier.refreshMetrics(at: Date())
        logger.notice("stopped")
    }

    /// Refuses to listen on TCP without any token that could be sent there. Forward auth needs none.
    private func demandTokens() async throws {
        guard case .tcp = configuration.listen, !configuration.isOpen, configuration.authorize.dialect == nil else {
            return
        }
        let now = Date()
        let callers = try await parts.ledger.operators().filter {
            $0.state(at: now) == .live && $0.role.rights.contains(.verify)
        }
        guard callers.isEmpty else { return }
        throw ServiceError(
            "no active operator has the right to verify, so that every request on \(configuration.listen.description) would be "
                + "refused: make a token with `assay operators add NAME --role caller --ledger ...`, with the ledger of this service, listen on "
                + "unix:PATH, or give --open on a loopback address")
    }

    private func serviceGroup(_ started: @escaping @Sendable (Bool, String) -> Void) throws -> ServiceGroup {
        let listen = configuration.listen
        let wanted = configuration.limits.connections
        let most = OpenFiles.divide(among: wanted, hasAdmin: configuration.admin != nil)
        if most.publicListener < wanted {
            logger.warning(
                "fewer connections than configured",
                metadata: [
                    "assay.problem":
                        "the process may open \(most.files) files, which are enough for \(most.publicListener) connections of the public listener; limits.connections is \(wanted): raise the limit (LimitNOFILE of systemd, ulimit -n), or lower the setting"
                ])
        }
        var services: [any ServiceLifecycle.Service] = [
            try listener(
                "listen", listen, try publicEndpoints(), isOpen: listen.path != nil || configuration.isOpen, tls: tls,
                connections: most.publicListener, descriptor: inherited.publicListener
            ) { started(false, $0) }
        ]
        if let admin = configuration.admin {
            services.append(
                try listener(
                    "admin", admin, adminEndpoints, isOpen: admin.isLocal, tls: nil, connections: most.admin,
                    descriptor: inherited.admin
                ) {
                    started(true, $0)
                })
        }
        var group = ServiceGroupConfiguration(
            services: services.map { .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup) },
            logger: Logger(label: "assay.lifecycle") { _ in JSONLogHandler(level: .error) })
        group.maximumGracefulShutdownDuration = .seconds(configuration.shutdownTimeout)
        return ServiceGroup(configuration: group)
    }

    /// The endpoints of the public listener, in the order of the documentation.
    private func publicEndpoints() throws -> [Endpoint] {
        let authorize =
            configuration.authorize.dialect == nil
            ? [] : [try AuthorizeEndpoint(live: live, configuration: configuration).endpoint]
        return authorize + [
            VerifyEndpoint(live: live, configuration: configuration).endpoint,
            ChallengeEndpoint(live: live, configuration: configuration).endpoint,
            InspectEndpoint(configuration: configuration).endpoint,
        ] + TokenEndpoints(live: live, configuration: configuration, failover: failover).endpoints
            + CheckEndpoints.endpoints + [
                OpenAPIDocument.endpoint(configuration)
            ]
    }

    /// The endpoints of the listener of operators, in the order of the documentation.
    private var adminEndpoints: [Endpoint] {
        HealthEndpoints(live: live, parts: parts, configuration: configuration).endpoints
            + [MetricsEndpoint(registry: parts.metrics, live: live).endpoint]
            + Administration(
                live: live, parts: parts, configuration: configuration,
                reload: { cause throws(Problem) in
                    do { try reload(because: cause) } catch {
                        throw Problem(.unprocessableContent, .policyUnusable, "\(error)")
                    }
                }
            ).endpoints
    }

    private func listener(
        _ key: String, _ address: ListenAddress, _ endpoints: [Endpoint], isOpen: Bool, tls: TLSFiles?,
        connections: Int, descriptor: Int32?,
        _ started: @escaping @Sendable (String) -> Void
    ) throws -> any ServiceLifecycle.Service {
        let limits = configuration.limits
        let idleTime = TimeAmount.milliseconds(Int64(limits.idleTime * 1000))
        let channel = HTTP1Channel.Configuration(
            additionalChannelHandlers: [RequestTargetGuard.handler(), AnswerDeadlines(stall: idleTime)],
            idleTimeout: idleTime,
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: limits.headers, maxHeaderListSize: limits.headers, maxHeaderFieldCount: 200))
        let responder = ServiceResponder(
            endpoints, callers: CallerCheck(isOpen: isOpen, isUnix: address.path != nil, ledger: parts.ledger),
            requests: limits.requests, retryAfter: configuration.retryAfter, deadlines: deadlines,
            logger: logger, metrics: parts.metrics)
        return try Listener(
            key, address, inherited: descriptor, responder, channel, tls: tls?.configuration(),
            connections: connections
        ) { started($0.description) }
    }

    /// Runs the listeners. Connections that were cut at the end of the time for stopping are no error.
    private func serve(_ group: ServiceGroup) async throws {
        do {
            try await group.run()
        } catch  where live.isStopping {
            logger.warning("requests were cut", metadata: ["assay.cause": "\(error)"])
        }
    }

    /// Says that the service is ready, once all listeners accept connections.
    private func announce(_ started: AsyncStream<(isAdmin: Bool, address: String)>) async {
        var addresses: [String] = []
        for await (isAdmin, address) in started {
            // The public listener first, whichever has started first.
            addresses.insert(address, at: isAdmin ? addresses.count : 0)
            guard addresses.count == (configuration.admin == nil ? 1 : 2) else { continue }
            live.setReady()
            ReadinessNotice.send(ReadinessNotice.ready)
            logger.notice("ready", metadata: ["assay.listen": .array(addresses.map { "\($0)" })])
            if tls == nil, !configuration.listen.isLocal {
                logger.warning(
                    "requests come without TLS", metadata: ["assay.listen": "\(configuration.listen.description)"])
            }
            await warnWithoutTokenKeys()
            return
        }
    }

    /// Warns if the policy has tokens, and no request for one can succeed.
    private func warnWithoutTokenKeys() async {
        guard parts.keyStore == nil, live.verifier.tokenRules != nil else { return }
        do throws(VerificationError) { _ = try await live.verifier.tokenKeys(at: Date()) } catch {
            guard case .request = error else { return }
            logger.warning(
                "no key for tokens",
                metadata: [
                    "assay.problem":
                        "the policy has tokens, and there is no key to sign them: set masterKey, with which the service opens the keys in the ledger"
                ])
        }
    }

    private func stop(_ group: ServiceGroup, on signals: UnixSignalsSequence) async {
        var count = 0
        await withTaskGroup(of: Void.self) { tasks in
            for await signal in signals {
                count += 1
                // Not `exit`, which would run handlers while requests are handled.
                guard count == 1 else { _exit(130) }
                live.stop()
                ReadinessNotice.send(ReadinessNotice.stopping)
                logger.notice("stopping", metadata: ["assay.signal": "\(signal)"])
                tasks.addTask {
                    try? await Task.sleep(for: .seconds(configuration.shutdownDelay))
                    await group.triggerGracefulShutdown()
                }
            }
        }
    }

    /// Reads the policy and the files of TLS again on SIGHUP, and when one has changed. What cannot be used changes nothing.
    private func reloadOnChange() async {
        let files = [configuration.policy, configuration.certificate, configuration.privateKey].compactMap(\.self)
        await FileWatch(files, interval: Self.watchInterval).run { cause in
            // The service has just read them.
            if cause != .start { try? reload(because: cause.rawValue) }
        }
    }

    /// Reads the policy and the files of TLS again, and logs what happened.
    private func reload(because cause: String) throws {
        ReadinessNotice.send(ReadinessNotice.reloading)
        defer { ReadinessNotice.send(ReadinessNotice.ready) }
        do {
            let (verifier, policy) = try parts.load(configuration.policy)
            try configuration.demandOrigins(for: verifier)
            try tls?.reload()
            try live.exchange(for: verifier, policy: policy)
            for note in verifier.policy.notes {
                logger.warning("policy names something unknown", metadata: ["assay.problem": "\(note)"])
            }
            count(reload: "success")
            logger.notice("reloaded", metadata: ["assay.cause": "\(cause)", "assay.policy": "\(configuration.policy)"])
        } catch {
            count(reload: "failure")
            logger.error(
                "reload failed: the policy and certificates before stay in use",
                metadata: [
                    "assay.cause": "\(cause)", "assay.problem": "\(error)", "assay.policy": "\(configuration.policy)",
                ])
            throw error
        }
    }

    // MARK: Tokens

    /// Makes the keys of tokens when they are due, while the policy has `tokens`.
    private func rotateTokenKeys() async {
        guard let store = parts.keyStore else { return }
        while !Task.isCancelled {
            if live.verifier.tokenRules != nil {
                do throws(KeyStoreFailure) {
                    for name in try await TokenKeyRotation(store).run(at: Date()) {
                        logger.notice("token key made", metadata: ["assay.key": "\(name)"])
                    }
                } catch {
                    logger.error("token keys not rotated", metadata: ["assay.problem": "\(error.description)"])
                }
            }
            try? await Task.sleep(for: Self.rotationInterval)
        }
    }

    // MARK: Metrics

    private func refreshMetrics() async {
        while !Task.isCancelled {
            await live.verifier.refreshMetrics(at: Date())
            if let end = tls?.end {
                Meter(
                    label: MetricName.certificateEnd.rawValue, dimensions: [("name", "listen")], factory: parts.metrics
                )
                .set(end)
            }
            try? await Task.sleep(for: Self.metricsInterval)
        }
    }

    private func count(reload outcome: String) {
        Counter(label: MetricName.reloads.rawValue, dimensions: [("outcome", outcome)], factory: parts.metrics)
            .increment()
    }
}
