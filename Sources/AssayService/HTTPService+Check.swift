import AssayCore
import Foundation

extension HTTPService {
    /// Reads the policy and the files of TLS, as the initializer does, without the ledger.
    ///
    /// - Returns: the policy, for the initializer: reading a thousand apps again takes as long as the rest of a start.
    /// - Throws: as the initializer.
    package static func check(_ configuration: ServiceConfiguration) throws -> ServicePolicy {
        let policy = try ServicePolicy(configuration.policy)
        _ = try withoutLedger(configuration, policy)
        return policy
    }

    /// Refuses what the start would refuse after it has created the ledger: an empty ledger has no operator, and an address is in use.
    ///
    /// - Throws: as ``run(until:)``.
    package static func checkStart(
        _ configuration: ServiceConfiguration, policy: ServicePolicy
    ) async throws {
        let service = try withoutLedger(configuration, policy)
        try await service.requireTokens()
        for (key, address) in service.ownListeners {
            if let path = address.path { try UnixSocket.prepare(path, for: key) }
            guard address.path == nil, address.isLocal else { continue }
            do throws(ServiceError) { Foundation.close(try LoopbackSocket(address).descriptor) } catch {
                throw ServiceError("\(key): \(error)")
            }
        }
    }

    private static func withoutLedger(
        _ configuration: ServiceConfiguration, _ policy: ServicePolicy
    ) throws -> HTTPService {
        try HTTPService(
            configuration,
            dependencies: ServiceDependencies(
                ledger: MemoryLedger(), keyStores: [], services: [], metrics: MetricsRegistry()),
            policy: policy, isTrial: true)
    }

    /// The addresses that the service opens itself, with their keys. systemd keeps the files of its sockets.
    var ownListeners: [(key: String, address: ListenAddress)] {
        let own: [(String, ListenAddress?)] = [
            ("listen", inherited.publicListener == nil ? configuration.listen : nil),
            ("admin", inherited.admin == nil ? configuration.admin : nil), ("metrics", configuration.metrics),
        ]
        return own.compactMap { key, address in address.map { (key, $0) } }
    }

    /// Refuses to listen on TCP without any token that could be sent there. Forward auth needs none.
    func requireTokens() async throws {
        guard case .tcp = configuration.listen, !configuration.isOpen, configuration.authorize.dialect == nil else {
            return
        }
        let now = Date()
        let callers = try await dependencies.ledger.operators().filter {
            $0.state(at: now) == .live && $0.role.rights.contains(.verify)
        }
        guard callers.isEmpty else { return }
        throw ServiceError(
            "no active operator has the right to verify, so that every request on \(configuration.listen.description) would be "
                + "refused: make a token with `assay operators add NAME --role caller --ledger ...`, with the ledger of this service, listen on "
                + "unix:PATH, or give --open on a loopback address")
    }
}
