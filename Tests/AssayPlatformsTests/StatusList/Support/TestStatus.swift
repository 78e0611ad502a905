import AndroidKey
import AssayCore
import AssayHTTPTestSupport
import AssayPlatforms
import AssayTestSupport
import Foundation
import Synchronization
import Testing

/// A client, and a server in the place of Google's that answers as a test says.
struct TestStatus: Sendable {
    /// What the server does. Without a step it sends its list, or confirms it.
    final class Script: Sendable {
        struct State {
            var list = TestStatus.list(["a1", "a2", "a3", "a4"])
            var fields: [String: String] = ["Cache-Control": "max-age=1000", "ETag": "\"1\""]
            var steps: [ScriptedServer.Step] = []
            var requests: [ScriptedServer.Request] = []
        }

        let state = Mutex(State())

        var requests: [ScriptedServer.Request] { state.withLock { $0.requests } }
        func script(_ steps: ScriptedServer.Step...) { state.withLock { $0.steps += steps } }

        /// Sets the list, and the fields besides those that stay.
        func publish(_ list: String, _ fields: [String: String] = [:]) {
            state.withLock { state in
                state.list = list
                state.fields.merge(fields) { $1 }
            }
        }

        func receive(_ request: ScriptedServer.Request) -> ScriptedServer.Step {
            state.withLock { state in
                state.requests.append(request)
                guard state.steps.isEmpty else { return state.steps.removeFirst() }
                let isKnown = request.fields["if-none-match"].map { $0 == state.fields["ETag"] } ?? false
                return .answer(isKnown ? 304 : 200, isKnown ? "" : state.list, fields: state.fields)
            }
        }
    }

    static let day = 86_400.0

    let server: ScriptedServer
    let script: Script
    let time: TestTime
    let documents: SharedDocuments
    let client: AttestationStatusClient

    /// A list with serial numbers.
    static func list(_ serials: [String], status: String = "REVOKED") -> String {
        let entries = serials.map { #""\#($0)":{"status":"\#(status)","reason":"KEY_COMPROMISE"}"# }
        return #"{"entries":{\#(entries.joined(separator: ","))}}"#
    }

    /// Runs a test with a local server and clocks that only the test advances.
    static func run(_ body: (TestStatus) async throws -> Void) async throws {
        let server = try await ScriptedServer()
        let script = Script()
        server.respond { script.receive($0) }
        let time = TestTime()
        let documents = SharedDocuments()
        let test = TestStatus(
            server: server, script: script, time: time, documents: documents,
            client: try client(server, documents, time))
        let result: Result<Void, any Error>
        do { result = .success(try await body(test)) } catch { result = .failure(error) }
        await test.client.shutdown()
        try await server.close()
        try result.get()
    }

    private static func client(
        _ server: ScriptedServer, _ documents: SharedDocuments?, _ time: TestTime, path: String = "/attestation/status"
    ) throws -> AttestationStatusClient {
        var settings = AttestationStatusClientSettings()
        settings.url = try ServerURL(server.url + path)
        // The real clock limits connections: a busy machine must not fail a test.
        settings.connectTime = .seconds(600)
        return AttestationStatusClient(sharing: documents, settings: settings, time: time.client)
    }

    /// The names of the two documents of the ledger.
    var documentNames: (list: String, index: String) {
        get throws {
            let names = documents.names
            try #require(names.count == 2)
            return (names[0], names[1])
        }
    }

    /// Runs a part of a test with a further client of the same ledger.
    func withSecondClient(
        path: String = "/attestation/status", _ body: (AttestationStatusClient) async throws -> Void
    ) async throws {
        let second = try TestStatus.client(server, documents, time, path: path)
        let result: Result<Void, any Error>
        do { result = .success(try await body(second)) } catch { result = .failure(error) }
        await second.shutdown()
        try result.get()
    }

    /// The list at the time of the clock.
    func list(maximumAge: Double = day) async throws(StatusListOutage) -> AttestationStatusList {
        try await client.statusList(at: time.now, maximumAge: maximumAge)
    }

    /// The outage in place of a list; nil for a list.
    func outage(maximumAge: Double = day) async -> StatusListOutage? {
        do throws(StatusListOutage) {
            _ = try await list(maximumAge: maximumAge)
            return nil
        } catch {
            return error
        }
    }

    /// Waits until the server has received so many requests.
    func requests(_ count: Int) async throws {
        try await waitUntil("\(count) requests") { script.requests.count >= count }
    }

    /// Asks until the client has the list with a digest, as after a renewal in the background.
    func renewal(to json: String) async throws {
        let wanted = try AttestationStatusList(json: Array(json.utf8), fetchedAt: nil).digest
        try await waitUntil("the new list") { try await list().digest == wanted }
    }
}
