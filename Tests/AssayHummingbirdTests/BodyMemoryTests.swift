import AssayPrimitives
import AssayTestSupport
import Foundation
import Synchronization
import Testing

/// Many connections whose bodies come in chunks of 1 KiB, each with 63,000 bytes of extensions, which the server reads into the
/// same buffer.
@Suite("Memory of requests with long chunk extensions", .timeLimit(.minutes(20)))
struct BodyMemoryTests {
    private static let limit = 2 << 20
    private static let connections = 8
    private static let chunks = 512
    private static let part = String(repeating: "a", count: 1024)
    private static let chunk = "400;\(String(repeating: "x", count: 63_000))\r\n\(part)\r\n"

    /// The connections that have sent all but the end of their bodies.
    private final class Gate: Sendable {
        private let state = Mutex((arrived: 0, isOpen: false))

        var arrived: Int { state.withLock { $0.arrived } }

        func open() { state.withLock { $0.isOpen = true } }

        func pass() async throws {
            state.withLock { $0.arrived += 1 }
            try await waitUntil("the gate is open") { state.withLock { $0.isOpen } }
        }
    }

    /// A server as a process of its own, and its port.
    private static func server() throws -> (LineProcess, Int) {
        let secret = Base64.encode(TestAPI.secret, .standard)
        let now = "\(TestAPI.now.timeIntervalSince1970)"
        let server = try LineProcess(BuiltProducts.url("HTTPBenchmarkServer"), ["--messages", "\(limit)", now, secret])
        return (server, try #require(Int(server.readLine().prefix { $0 != " " })))
    }

    private static func resident(_ process: Int32) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
        return try #require(Int(line.filter(\.isNumber))) << 10
    }

    /// Sends requests at the same time, and returns their statuses and the memory before their ends.
    private static func send(
        _ head: String, times: Int, to server: LineProcess, _ port: Int, endsEarly: Bool
    ) async throws -> (statuses: [Int], resident: Int) {
        let gate = Gate()
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<times {
                group.addTask {
                    var steps: [RawExchange.Step] = [{ head }]
                    for _ in 0..<chunks { steps.append { chunk } }
                    steps.append {
                        try await gate.pass()
                        return "0\r\n\r\n"
                    }
                    return RawExchange.status(try await RawExchange.send(steps, to: port, endsEarly: endsEarly))
                }
            }
            try await waitUntil("\(times) requests") { gate.arrived >= times }
            let memory = try resident(server.identifier)
            gate.open()
            return (try await group.reduce(into: []) { $0.append($1) }, memory)
        }
    }

    @Test("Bodies below the limit take no more memory than the limit allows", arguments: [true, false])
    func memory(hasToken: Bool) async throws {
        let (server, port) = try Self.server()
        let body = String(repeating: Self.part, count: Self.chunks)
        var head = try SignedMessage(body: Array(body.utf8)).head("Transfer-Encoding: chunked")
        if !hasToken {
            // The server answers at once, and reads on to find the next request.
            head = "POST /orders HTTP/1.1\r\nHost: a\r\nSignature: install=:AA==:\r\nTransfer-Encoding: chunked\r\n\r\n"
        }
        _ = try await Self.send(head, times: 1, to: server, port, endsEarly: !hasToken)
        let before = try Self.resident(server.identifier)
        let (statuses, after) = try await Self.send(
            head, times: Self.connections, to: server, port, endsEarly: !hasToken)
        let growth = (after - before) >> 20
        #expect(growth < Self.connections * 4 * Self.limit >> 20, "\(growth) MiB, all chunks are 256 MiB")
        // Copies of one message: the first one was used up.
        #expect(statuses == Array(repeating: 401, count: Self.connections))
    }

    @Test("A request without a token is answered before its body ends")
    func early() async throws {
        let (server, port) = try Self.server()
        defer { server.kill() }
        let head = "POST /orders HTTP/1.1\r\nHost: a\r\nConnection: close\r\nSignature: install=:AA==:\r\n"
        let steps: [RawExchange.Step] = [
            { head + "Transfer-Encoding: chunked\r\n\r\n" }, { Self.chunk },
        ]
        #expect(RawExchange.status(try await RawExchange.send(steps, to: port)) == 401)
    }
}
