import AssayPrimitives
package import NIOCore
import NIOPosix

/// How an address of a host is known.
package enum AddressSource: Sendable {
    /// From the resolver of this machine, or the host is an address.
    case system
    /// From the name server of the question.
    case nameServer
    /// From the caller.
    case caller
}

/// What one address of a host presents.
package struct HostView: Sendable {
    /// The address and port, such as `203.0.113.7:443`; nil if the host has none.
    package let address: String?
    /// How the address is known; or what gives none.
    package let sources: [AddressSource]
    /// The presented certificates, the leaf first; or why there are none.
    package let chain: Result<[PresentedCertificate], TLSProbeError>

    /// The presented certificates; nil if there are none.
    package var certificates: [PresentedCertificate]? { try? chain.get() }
}

/// A host to ask.
package struct HostQuestion: Sendable {
    /// A DNS name or an address.
    package let name: String
    /// The TCP port.
    package let port: Int
    /// IP addresses to ask besides those of the name, such as those that another resolver gives.
    package let others: [String]
    /// A DNS server to ask for the addresses too; nil for none.
    package let nameServer: NameServer?

    package init(name: String, port: Int, others: [String] = [], nameServer: NameServer? = nil) {
        (self.name, self.port, self.others, self.nameServer) = (name, port, others, nameServer)
    }
}

extension TLSProbe {
    /// A probe on the threads that all of SwiftNIO shares.
    package init(timeout: Double) { self.init(timeout: timeout, group: MultiThreadedEventLoopGroup.singleton) }

    /// The most look-ups or connections at once.
    private static let parallel = 256

    /// Asks all addresses of all hosts at once. Takes about twice the timeout if none of them answers.
    ///
    /// - Returns: for each host in order, a view of each address, at least one.
    package func views(of hosts: [HostQuestion]) async -> [[HostView]] {
        typealias Found = (AddressSource, Result<[SocketAddress], TLSProbeError>)
        let found = await concurrently(hosts) { host -> [Found] in
            async let ofSystem = result { () throws(TLSProbeError) in
                try await addresses(of: host.name, port: host.port)
            }
            guard let nameServer = host.nameServer else { return [(AddressSource.system, await ofSystem)] }
            let ofServer = await result { () throws(TLSProbeError) in
                try await addresses(of: host.name, port: host.port, from: nameServer)
            }
            return [(.system, await ofSystem), (.nameServer, ofServer)]
        }
        var tasks: [(host: Int, name: String, address: SocketAddress, sources: [AddressSource])] = []
        var views: [[HostView]] = hosts.map { _ in [] }
        for (index, host) in hosts.enumerated() {
            var all: [(address: SocketAddress, sources: [AddressSource])] = []
            func add(_ address: SocketAddress, from source: AddressSource) {
                guard let place = all.firstIndex(where: { $0.address == address }) else {
                    return all.append((address, [source]))
                }
                if !all[place].sources.contains(source) { all[place].sources.append(source) }
            }
            for (source, result) in found[index] {
                switch result {
                case .success(let addresses): for address in addresses { add(address, from: source) }
                case .failure(let error):
                    views[index].append(HostView(address: nil, sources: [source], chain: .failure(error)))
                }
            }
            for other in host.others {
                if let address = try? SocketAddress(ipAddress: other, port: host.port) { add(address, from: .caller) }
            }
            tasks += all.map { (index, host.name, $0.address, $0.sources) }
        }
        let seen = await concurrently(tasks) { task in
            await view(of: task.name, at: task.address, from: task.sources)
        }
        for (task, view) in zip(tasks, seen) { views[task.host].append(view) }
        return views
    }

    private func view(
        of host: String, at address: SocketAddress, from sources: [AddressSource]
    ) async -> HostView {
        let chain = await result { () throws(TLSProbeError) in
            try Self.read(try await self.chain(of: host, at: address))
        }
        return HostView(address: address.hostAndPort, sources: sources, chain: chain)
    }

    private func result<Value: Sendable>(
        _ body: @Sendable () async throws(TLSProbeError) -> Value
    ) async -> Result<Value, TLSProbeError> {
        do throws(TLSProbeError) { return .success(try await body()) } catch { return .failure(error) }
    }

    private static func read(_ chain: [[UInt8]]) throws(TLSProbeError) -> [PresentedCertificate] {
        var read: [PresentedCertificate] = []
        for (index, der) in chain.enumerated() {
            do throws(DecodeError) { read.append(try PresentedCertificate(der: der)) } catch {
                throw .unreadable("certificate \(index + 1) of \(chain.count) cannot be read: \(error)")
            }
        }
        return read
    }

    /// The results of `body` in the order of `inputs`, at most ``parallel`` at once.
    private func concurrently<Input: Sendable, Output: Sendable>(
        _ inputs: [Input], _ body: @escaping @Sendable (Input) async -> Output
    ) async -> [Output] {
        await withTaskGroup(of: (Int, Output).self) { group in
            var results: [(Int, Output)] = []
            for (index, input) in inputs.enumerated() {
                if index >= Self.parallel, let done = await group.next() { results.append(done) }
                group.addTask { (index, await body(input)) }
            }
            for await done in group { results.append(done) }
            return results.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}

extension SocketAddress {
    /// Such as `203.0.113.7:443`.
    package var hostAndPort: String {
        let host = ipAddress ?? "?"
        return (host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host) + ":\(port ?? 0)"
    }
}
