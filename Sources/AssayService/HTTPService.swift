import Assay
import AssayCore
import AssayHTTP
import AssayTokens
import CoreMetrics
import Foundation
import HTTPTypes
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
    /// The connections of the listener of metrics: few programs ask it.
    private static let monitoringConnections = 32

    let configuration: ServiceConfiguration
    let inherited: InheritedSockets
    let dependencies: ServiceDependencies
    private let state: ServiceState
    private let proof: ServiceReadiness
    private let tls: TLSFiles?
    /// Of the listeners of operators and of metrics.
    private let adminTLS: TLSFiles?
    /// Nil if this is no failover instance.
    private let failover: FailoverState?
    private let deadlines = BodyDeadlines()
    private let reloading: PolicyReloading
    private let tokenKeys: TokenKeyUpkeep
    private let keyEnds = KeyEndNotices()
    private let logger: Logger
    private let whenReady: @Sendable (_ addresses: [String]) -> Void

    /// Reads the policy and the files of TLS.
    ///
    /// - Parameters:
    ///   - policy: the policy of the configuration as ``check(_:)`` has read it; nil to read it.
    ///   - isTrial: whether only the configuration is checked.
    ///   - socket: the public listener, already open, which the service closes; nil to open the configured address, or to use the
    ///     sockets of systemd.
    ///   - whenReady: called once, with the addresses of the listeners, when all accept connections: the public one first.
    /// - Throws: `PolicyError` for the policy, ``ServiceError`` for other files.
    package init(
        _ configuration: ServiceConfiguration, dependencies: ServiceDependencies, policy: ServicePolicy? = nil,
        isTrial: Bool = false, socket: LoopbackSocket? = nil,
        whenReady: @escaping @Sendable (_ addresses: [String]) -> Void = { _ in }
    ) throws {
        self.whenReady = whenReady
        inherited =
            try socket.map { InheritedSockets(publicListener: $0.descriptor) }
            ?? InheritedSockets(ProcessInfo.processInfo.environment, services: dependencies.process.count)
        var configuration = configuration
        if let descriptor = inherited.publicListener {
            configuration.listen = try InheritedSockets.address(of: descriptor)
            if !configuration.isOpen { try UnixSocket.requireMode(of: configuration.listen, named: "public") }
        }
        if let descriptor = inherited.admin {
            let address = try InheritedSockets.address(of: descriptor)
            try UnixSocket.requireMode(of: address, named: "admin")
            configuration.admin = address
            try configuration.requireConsoleTLS()
        }
        guard !configuration.isOpen || configuration.listen.isLocal && configuration.admin?.isLocal ?? true else {
            throw ServiceError(
                "open: true is for loopback addresses and unix sockets, and an inherited socket is bound to another address"
            )
        }
        self.configuration = configuration
        self.dependencies = dependencies
        let handler = JSONLogHandler(level: configuration.logLevel, of: dependencies.name)
        logger = Logger(label: "assay") { _ in handler }
        let read = try policy ?? ServicePolicy(configuration.policy)
        let (verifier, policy) = (dependencies.verifier(of: read.policy), read.text)
        try configuration.requireOrigins(for: verifier)
        state = try ServiceState(verifier, policy: policy, configuration, isTrial: isTrial, logger: logger)
        proof = ServiceReadiness(ledger: dependencies.ledger, keyStores: dependencies.keyStores)
        failover = configuration.failover.primary.map { FailoverState(of: $0, dependencies.metrics) }
        if let certificate = configuration.certificate, let privateKey = configuration.privateKey {
            tls = try TLSFiles(
                certificate: certificate, privateKey: privateKey, clientAuthorities: configuration.clientAuthorities)
        } else {
            tls = nil
        }
        if let certificate = configuration.adminCertificate, let privateKey = configuration.adminPrivateKey {
            adminTLS = try TLSFiles(certificate: certificate, privateKey: privateKey, clientAuthorities: nil)
        } else {
            adminTLS = nil
        }
        reloading = PolicyReloading(
            configuration: configuration, dependencies: dependencies, state: state,
            certificates: [tls, adminTLS].compactMap(\.self),
            logger: logger)
        reloading.show(policy, of: verifier)
        tokenKeys = TokenKeyUpkeep(dependencies: dependencies, state: state, logger: logger)
    }

    /// Serves until SIGTERM or SIGINT. Then the service becomes unready, waits for the delay, accepts no more connections, and
    /// finishes the requests that it has begun. A second signal ends the process at once, with status 130.
    ///
    /// - Parameter trapped: the signals, if they are trapped already.
    /// - Throws: ``ServiceError`` when a listener cannot be opened, `LedgerOutage` when the ledger does not answer, and `KeyStoreOutage`
    ///   when the key store does not, or is opened with another master key.
    package func run(until trapped: EndingSignals? = nil) async throws {
        CoreDumps.disable()
        try await requireTokens()
        for store in dependencies.keyStores { _ = try await store.keys(for: TokenKey.purpose) }
        for (key, address) in ownListeners {
            if let path = address.path { try UnixSocket.prepare(path, for: key) }
        }
        let (started, starting) = AsyncStream.makeStream(of: StartedListener.self)
        let signals = if let trapped { trapped } else { await EndingSignals() }
        let group = try serviceGroup { starting.yield(StartedListener(position: $0, address: $1)) }
        do {
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
                    await stop(group, on: signals.sequence)
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
                    await BuildsUpkeep(state: state, logger: logger).run()
                    return false
                }
                tasks.addTask {
                    await tokenKeys.run()
                    return false
                }
                tasks.addTask {
                    await proof.watch(logger)
                    return false
                }
                if let failover {
                    tasks.addTask {
                        await failover.watch(configuration.failover, logger, probe: dependencies.probe)
                        return false
                    }
                }
                for service in dependencies.services.compactMap({ $0 as? any BackgroundService }) {
                    tasks.addTask {
                        await service.run({ state.verifier }) { notice in
                            logger.warning("background service", metadata: ["assay.notice": "\(notice)"])
                        }
                        return false
                    }
                }
                for service in dependencies.services.compactMap({ $0 as? any ReportingService }) {
                    tasks.addTask {
                        for await notice in service.reports {
                            logger.warning("background service", metadata: ["assay.notice": "\(notice)"])
                        }
                        return false
                    }
                }
                while let isEnd = try await tasks.next(), !isEnd {}
                tasks.cancelAll()
            }
        } catch {
            await state.capture?.close()
            throw error
        }
        await state.capture?.close()
        await state.verifier.refreshMetrics(at: Date())
        logger.notice("stopped")
    }

    /// - Parameter started: called with the position of a listener in the log, and its address.
    private func serviceGroup(_ started: @escaping @Sendable (Int, String) -> Void) throws -> ServiceGroup {
        let listen = configuration.listen
        let wanted = configuration.limits.connections
        let most = OpenFiles.divide(
            among: wanted, hasAdmin: configuration.admin != nil, services: dependencies.process.count)
        if most.publicListener < wanted {
            logger.warning(
                "fewer connections than configured",
                metadata: [
                    "assay.problem":
                        "the process may open \(most.files) files\(dependencies.process.count > 1 ? " for each of its configurations" : ""), which are enough for \(most.publicListener) connections of the public listener; limits.connections is \(wanted): raise the limit (LimitNOFILE of systemd, ulimit -n), or lower the setting"
                ])
        }
        var services: [any ServiceLifecycle.Service] = [
            listener(
                "listen", listen, try publicEndpoints(), isOpen: listen.path != nil || configuration.isOpen, tls: tls,
                connections: most.publicListener, descriptor: inherited.publicListener
            ) { started(0, $0) }
        ]
        if let admin = configuration.admin {
            services.append(
                listener(
                    "admin", admin, adminEndpoints, isOpen: admin.isLocal, tls: admin.path == nil ? adminTLS : nil,
                    connections: most.admin, descriptor: inherited.admin
                ) { started(1, $0) })
        }
        if let metrics = configuration.metrics {
            services.append(
                listener(
                    "metrics", metrics, monitoringEndpoints(on: metrics), isOpen: metrics.isLocal,
                    tls: metrics.path == nil ? adminTLS : nil, connections: Self.monitoringConnections, descriptor: nil
                ) { started(2, $0) })
        }
        let handler = JSONLogHandler(level: .error, of: dependencies.name)
        var group = ServiceGroupConfiguration(
            services: services.map { .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup) },
            logger: Logger(label: "assay.lifecycle") { _ in handler })
        group.maximumGracefulShutdownDuration = .seconds(configuration.shutdownTimeout)
        return ServiceGroup(configuration: group)
    }

    /// The endpoints of the public listener, in the order of the documentation.
    private func publicEndpoints() throws -> [Endpoint] {
        let authorize =
            configuration.authorize.dialect == nil
            ? [] : [try AuthorizeEndpoint(state: state, configuration: configuration).endpoint]
        return OpenAPIDocument.ofPublicListener(configuration).describing(
            authorize + [
                VerifyEndpoint(state, configuration, dependencies.metrics, logger).endpoint,
                ChallengeEndpoint(state: state, configuration: configuration).endpoint,
            ] + TokenEndpoints(state: state, configuration: configuration, failover: failover).endpoints
                + [
                    SecretsEndpoint(state: state, configuration: configuration).endpoint,
                    MeasurementEndpoint(state: state, configuration: configuration).endpoint,
                    InspectEndpoint(configuration: configuration).endpoint,
                ] + CheckEndpoints.endpoints)
    }

    /// Health and metrics.
    private func monitoringEndpoints(on address: ListenAddress?) -> [Endpoint] {
        HealthEndpoints(
            state: state, proof: proof, configuration: configuration, isLocal: address?.isLocal ?? false
        ).endpoints + [MetricsEndpoint(registry: dependencies.metrics, state: state, proof: proof).endpoint]
    }

    /// The endpoints of the listener of operators, in the order of the documentation.
    private var adminEndpoints: [Endpoint] {
        let administration = Administration(
            state: state, dependencies: dependencies, configuration: configuration, work: reloading.work,
            reload: { (name) async throws(Problem) in
                do { try await reloading.run(because: "operator \(name)", by: name) } catch {
                    throw Problem(.unprocessableContent, .policyUnusable, "\(error)")
                }
            })
        return OpenAPIDocument.ofOperators(configuration).describing(
            monitoringEndpoints(on: configuration.admin) + administration.endpoints)
            + Console.endpoints(of: administration, logger)
    }

    private func listener(
        _ key: String, _ address: ListenAddress, _ endpoints: [Endpoint], isOpen: Bool, tls: TLSFiles?,
        connections: Int, descriptor: Int32?,
        _ started: @escaping @Sendable (String) -> Void
    ) -> any ServiceLifecycle.Service {
        let limits = configuration.limits
        let state = state
        let responder = ServiceResponder(
            endpoints, callers: CallerCheck(isOpen: isOpen, isUnix: address.path != nil, ledger: dependencies.ledger),
            sites: SiteRules(
                address, isForOperators: key != "listen", isOpen: isOpen, names: configuration.allowedHosts),
            requests: limits.requests, retryAfter: configuration.retryAfter, deadlines: deadlines,
            logger: logger, state: state, metrics: dependencies.metrics)
        return Listener(
            key, address, inherited: descriptor, responder, limits, tls: tls,
            connections: connections, retryAfter: configuration.retryAfter, log: logger,
            isLeaving: { state.isStopping }
        ) { started($0.description) }
    }

    /// Runs the listeners. Connections that were cut at the end of the time for stopping are no error.
    private func serve(_ group: ServiceGroup) async throws {
        do {
            try await group.run()
        } catch  where state.isStopping {
            logger.warning("requests were cut", metadata: ["assay.cause": "\(error)"])
        }
    }

    /// Says that the service is ready, once all listeners accept connections.
    private func announce(_ started: AsyncStream<StartedListener>) async {
        var listeners: [StartedListener] = []
        let all: [(address: ListenAddress?, tls: TLSFiles?)] = [
            (configuration.listen, tls), (configuration.admin, adminTLS), (configuration.metrics, adminTLS),
        ]
        for await listener in started {
            listeners.append(listener)
            guard listeners.count == all.count(where: { $0.address != nil }) else { continue }
            state.setReady()
            dependencies.process.setReady()
            let addresses = listeners.sorted { $0.position < $1.position }.map(\.address)
            whenReady(addresses)
            // On a terminal, `whenReady` says it.
            if !ServiceLog.isText {
                logger.notice(
                    "ready",
                    metadata: [
                        "assay.listen": .array(addresses.map { "\($0)" }),
                        "assay.policyDigest": "\(state.present.digest)",
                    ])
            }
            for (address, tls) in all {
                guard let address, tls == nil, !address.isLocal else { continue }
                logger.warning("requests come without TLS", metadata: ["assay.listen": "\(address.description)"])
            }
            reloading.warn(of: state.verifier)
            await tokenKeys.warnWithoutTokenKeys()
            await reloading.warnWithoutKeys(state.verifier)
            return
        }
    }

    private func stop(_ group: ServiceGroup, on signals: UnixSignalsSequence) async {
        var count = 0
        await withTaskGroup(of: Void.self) { tasks in
            for await signal in signals {
                count += 1
                // Not `exit`, which would run handlers while requests are handled.
                guard count == 1 else { _exit(130) }
                state.stop()
                dependencies.process.stop()
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
        let files = [
            configuration.policy, configuration.certificate, configuration.privateKey, configuration.adminCertificate,
            configuration.adminPrivateKey,
        ].compactMap(\.self)
        await FileWatch(files, interval: Self.watchInterval).run { cause in
            // The policy was read before the ledger was opened, and may have changed since.
            if cause == .start, reloading.isPolicyOfFile { return }
            try? await reloading.run(because: cause.rawValue)
        }
    }

    // MARK: Metrics

    private func refreshMetrics() async {
        while !Task.isCancelled {
            await state.verifier.refreshMetrics(at: Date())
            keyEnds.warn(of: dependencies.metrics.values(.keyEnd), at: Date(), logger)
            state.history?.take(dependencies.metrics, at: Date())
            let lost = LogOutput.takeUnreported()
            if lost > 0 { logger.warning("log lines were lost", metadata: ["assay.lost": .stringConvertible(lost)]) }
            for (name, files) in [("listen", tls), ("admin", adminTLS)] {
                guard let end = files?.end else { continue }
                Meter(
                    label: MetricName.certificateEnd.rawValue, dimensions: [("name", name)],
                    factory: dependencies.metrics
                )
                .set(end)
            }
            try? await Task.sleep(for: Self.metricsInterval)
        }
    }
}

/// A listener that accepts connections.
private struct StartedListener {
    /// Its place among the listeners in the log: the public one first.
    let position: Int
    let address: String
}
