import AssayHTTPTestSupport
import AssayTestSupport
import Foundation
import Testing

/// A service with a ledger in PostgreSQL and a status list, and a Prometheus that scrapes it.
@Suite("Monitoring of PostgreSQL and the status list", .timeLimit(.minutes(30)))
struct MonitoringPartsRunTests {
    /// A cluster of PostgreSQL, which ends with this object.
    private final class Cluster {
        private let process: LineProcess
        let url: String

        /// Whether PostgreSQL is installed; in CI it must be.
        static var isAvailable: Bool {
            let environment = ProcessInfo.processInfo.environment
            return environment["CI"] == "true" || environment["ASSAY_POSTGRESQL"] != nil
                || FileManager.default.fileExists(atPath: "/usr/lib/postgresql")
        }

        init() throws {
            let script = TestVectors.folder.deletingLastPathComponent().appendingPathComponent(
                "Scripts/with-postgresql"
            ).path
            let loop =
                "echo \"$CLUSTER\"; while read -r text; do psql -X -q -v ON_ERROR_STOP=1 -c \"$text\" && echo done; done"
            process = try LineProcess(URL(fileURLWithPath: "/bin/bash"), [script, "bash", "-c", loop])
            url = try process.readLine()
        }

        deinit {
            // The script stops the server at the end of its input.
            try? process.closeInput()
            _ = try? process.end()
        }

        func sql(_ text: String) throws {
            let answer = try process.ask(text)
            try #require(answer == "done")
        }
    }

    /// What the other run does not have.
    private static var parts: Regex<Substring> { /assay_(?:ledger_(?!commit|batch|failed)|status_list)/ }

    @Test(
        "Their alerts fire and end, and the dashboard's queries about them give data",
        .enabled(if: Cluster.isAvailable, "install Debian's postgresql to run this"))
    func run() async throws {
        let cluster = try Cluster()
        defer { withExtendedLifetime(cluster) {} }
        let record = try StatusListTests.record.get()
        let list = try await ScriptedServer()
        list.respond { _ in .answer(500, "{}") }
        let folder = try TestFolder()
        let admin = "127.0.0.1:\(try Loopback.freePort())"
        func start(_ query: String) throws -> RunningService {
            try RunningService(
                ["admin=\(admin)", "statusListURL=\(list.url)/attestation/status"], in: folder,
                ledger: cluster.url + query
            ) { folder in
                try folder.write("android.pem", record.root)
                try folder.write("policy.yaml", folder.read("policy.yaml") + StatusListTests.app)
            }
        }
        let create = try ProgramRun(
            BuiltProducts.url("assay").path, ["ledger", "create", "--ledger", cluster.url],
            environment: ["HOME": folder.url.path])
        try #require(create.status == 0, "\(create.text)")
        try cluster.sql("ALTER TABLE assay.challenge SET (autovacuum_enabled = false)")
        var service = try start("?durability=waived")
        let prometheus = try RunningPrometheus(scraping: [admin], in: folder)
        func issue() throws {
            let issued = try service.send(
                "POST", "/v1/challenges", body: #"{"app":"bank","kind":"app-attest.attestation"}"#)
            try #require(issued.status == 201, "\(issued)")
        }
        /// Polls for a condition. Each evidence wants the list, and writes let the ledger look at its tables once a minute.
        func wait(_ what: String, until holds: () throws -> Bool) async throws {
            let end = Date(timeIntervalSinceNow: 600)
            var round = 0
            while try !holds() {
                let firing = try prometheus.firing()
                try #require(Date() < end, "not \(what): \(firing)")
                _ = try service.send("POST", "/v1/verify", body: record.json)
                if round.isMultiple(of: 10) { try issue() }
                round += 1
                try await Task.sleep(for: .milliseconds(200))
            }
        }

        for _ in 0..<400 { try issue() }
        // The sessions of the service report what they have written after some seconds: counted later, it would count as live.
        try cluster.sql(
            "DO $$ BEGIN FOR i IN 1..900 LOOP PERFORM pg_stat_clear_snapshot(); EXIT WHEN (SELECT n_tup_ins FROM "
                + "pg_stat_all_tables WHERE relname = 'challenge') >= 400; PERFORM pg_sleep(0.1); END LOOP; END $$")
        try cluster.sql("DELETE FROM assay.challenge")
        try cluster.sql("ANALYZE assay.challenge")
        let alerts: Set<String> = ["AssayLedgerWaived", "AssayLedgerBloat", "AssayStatusListFails"]
        try await wait("all alerts") { try alerts.isSubset(of: prometheus.firing()) }
        let queries = try Monitoring.queries().filter { $0.1.contains(Self.parts) }
        #expect(queries.count > 5)
        for (panel, query) in queries {
            try await wait("data in \(panel): \(query)") { try prometheus.series(query) ?? 0 > 0 }
        }

        func publish(_ count: Int) {
            let entries = (1...count).map { #""abcdef\#($0)":{"status":"REVOKED","reason":"KEY_COMPROMISE"}"# }
            // Renewed after less than a minute, the shortest time.
            list.respond { _ in
                .answer(
                    200, #"{"entries":{\#(entries.joined(separator: ","))}}"#, fields: ["Cache-Control": "max-age=0"])
            }
        }
        publish(9)
        try cluster.sql("VACUUM assay.challenge")
        service.signal(SIGTERM)
        #expect(service.wait() == 0, "\(service.logText)")
        service = try start("")
        // Without alerts of the first process, the second one might not have asked for the list yet.
        try await wait("a list that is used") {
            try service.send("POST", "/v1/verify", body: record.json).status == 200
        }
        try await wait("at peace") { try alerts.isDisjoint(with: prometheus.firing()) }
        // The server loses most of its list.
        publish(2)
        try await wait("a list that is refused") { try prometheus.fired().contains("AssayStatusListRefused") }
        let notices = service.entries("background service").compactMap { $0["assay.notice"] as? String }
        #expect(notices.contains { $0.contains("is refused") && $0.contains("status-list-shrunk") }, "\(notices)")
        publish(9)
        try await wait("at peace again") { try alerts.isDisjoint(with: prometheus.firing()) }
        try await list.close()
    }
}
