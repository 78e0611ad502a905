import AssayCore
import AssayPrimitives
import NIOCore
import NIOPosix

/// What one address of a host presents.
package struct HostView: Sendable {
    /// The address and port, such as `203.0.113.7:443`; nil if the host has none.
    package let address: String?
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

    package init(name: String, port: Int, others: [String] = []) {
        (self.name, self.port, self.others) = (name, port, others)
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
        let found = await concurrently(hosts) { host in
            do throws(TLSProbeError) {
                return Result<[SocketAddress], TLSProbeError>.success(
                    try await addresses(of: host.name, port: host.port))
            } catch {
                return .failure(error)
            }
        }
        var tasks: [(host: Int, name: String, address: SocketAddress)] = []
        var views: [[HostView]] = hosts.map { _ in [] }
        for (index, host) in hosts.enumerated() {
            var all: [SocketAddress] = []
            switch found[index] {
            case .success(let addresses): all = addresses
            case .failure(let error): views[index].append(HostView(address: nil, chain: .failure(error)))
            }
            for other in host.others {
                let address = try? SocketAddress(ipAddress: other, port: host.port)
                if let address, !all.contains(address) { all.append(address) }
            }
            tasks += all.map { (index, host.name, $0) }
        }
        let seen = await concurrently(tasks) { task in await view(of: task.name, at: task.address) }
        for (task, view) in zip(tasks, seen) { views[task.host].append(view) }
        return views
    }

    private func view(of host: String, at address: SocketAddress) async -> HostView {
        let chain: Result<[PresentedCertificate], TLSProbeError>
        do throws(TLSProbeError) {
            chain = .success(try Self.read(try await self.chain(of: host, at: address)))
        } catch {
            chain = .failure(error)
        }
        return HostView(address: Self.text(of: address), chain: chain)
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

    private static func text(of address: SocketAddress) -> String {
        let host = address.ipAddress ?? "?"
        return (host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host) + ":\(address.port ?? 0)"
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
