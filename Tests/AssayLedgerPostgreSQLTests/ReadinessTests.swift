import AssayLedgerPostgreSQL
import AssayTestSupport
import Foundation
import Testing

/// `assay serve` on a ledger in PostgreSQL, on unix sockets in a folder of its own.
private final class Service {
    let folder: TestFolder
    private let process = Process()

    init(_ ledger: String) throws {
        // The path of a unix socket is short.
        folder = try TestFolder(in: URL(fileURLWithPath: "/tmp"))
        let policy = try folder.write(
            "policy.yaml",
            """
            version: 1
            apps:
              - name: shop
                appAttest: { appIDs: [1234567890.com.example.shop], environments: [production], challenge: ledger, clientData: raw }

            """)
        process.executableURL = try BuiltProducts.url("assay")
        process.arguments = [
            "serve", "--policy", policy, "--ledger", ledger, "--listen", "unix:\(folder.path("s"))", "--set",
            "admin=unix:\(folder.path("a"))",
        ]
        _ = FileManager.default.createFile(atPath: folder.path("log"), contents: nil)
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.path("log")))
        process.standardOutput = FileHandle.nullDevice
        process.environment = ["HOME": folder.url.path].merging(Sanitizer.environment) { $1 }
        try process.run()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        try? process.end()
    }

    var log: String { (try? String(contentsOfFile: folder.path("log"), encoding: .utf8)) ?? "" }

    /// The answer of `/readyz` after its status, and the line of `assay_ready`.
    func readiness() throws -> String {
        let status = try folder.shell(
            "curl -sS -w '%{http_code}' --unix-socket a http://localhost/readyz >ready 2>errors "
                + "&& curl -sS --unix-socket a http://localhost/metrics 2>errors | grep '^assay_ready ' >>ready")
        let text = try String(contentsOfFile: folder.path("ready"), encoding: .utf8)
        let errors = try String(contentsOfFile: folder.path("errors"), encoding: .utf8)
        return status == 0 ? text : "no answer: \(text)\(errors)"
    }

    static let ready = "{\"status\":\"ok\"}\n200assay_ready 1.0\n"

    func isReady() throws -> Bool { try readiness() == Self.ready }
}

@Suite("Readiness with PostgreSQL", .enabled(if: TestCluster.isAvailable, "\(TestCluster.hint)"))
struct ReadinessTests {
    @Test(
        "A dead server and a missing standby make the service unready with the reason, and it is ready again after them"
    )
    func faults() async throws {
        let cluster = try TestCluster(port: 5460)
        defer { cluster.stop() }
        try await PostgreSQLLedger.create(cluster.url())
        let service = try Service(cluster.url("timeout=4"))
        #expect(try await poll { try service.isReady() }, "\(service.log)")

        cluster.kill()
        var found = ""
        func isUnready(_ reasons: [String]) throws -> Bool {
            found = try service.readiness()
            return found.contains("503assay_ready 0") && reasons.contains { found.contains($0) }
        }
        #expect(try await poll { try isUnready(["ledger outage (unreachable)"]) }, "\(found)")
        try cluster.start()
        #expect(try await poll { try service.isReady() }, "\(service.log)")

        try cluster.sql("ALTER SYSTEM SET synchronous_standby_names = 'none_such'")
        try cluster.sql("SELECT pg_reload_conf()")
        let reasons = ["no write has become durable within 3 seconds", "ledger outage (undetermined)"]
        #expect(try await poll { try isUnready(reasons) }, "\(found)")
        try cluster.sql("ALTER SYSTEM RESET synchronous_standby_names")
        try cluster.sql("SELECT pg_reload_conf()")
        #expect(try await poll { try service.isReady() }, "\(service.log)")
    }

    @Test("A service on a ledger that was moved is unready")
    func moved() async throws {
        let url = try await TestCluster.shared().newLedger()
        let service = try Service(url)
        #expect(try await poll { try service.isReady() }, "\(service.log)")
        let target = "sqlite:\(service.folder.path("new.sqlite"))"
        let program = try BuiltProducts.url("assay").path
        #expect(try service.folder.shell("'\(program)' migrate '\(url)' '\(target)' >migrated 2>errors") == 0)
        var found = ""
        #expect(
            try await poll {
                found = try service.readiness()
                return found.contains("503") && found.contains("ledger outage (wrong-ledger)")
            }, "\(found)")
    }

    @Test("A service whose server came back with older data is unready until it is restarted")
    func olderData() async throws {
        let cluster = try TestCluster.shared()
        let url = try await cluster.newLedger()
        let service = try Service(url)
        #expect(try await poll { try service.isReady() }, "\(service.log)")
        let schema = try #require(url.split(separator: "=").last)
        #expect(try await poll { try cluster.sql("SELECT count(*) FROM \(schema).writer WHERE batch > 0") != "0" })
        try cluster.sql("UPDATE \(schema).writer SET batch = -1")
        var found = ""
        #expect(
            try await poll {
                found = try service.readiness()
                return found.contains("503") && found.contains("ledger outage (wrong-ledger)")
            }, "\(found)")
        let restarted = try Service(url)
        #expect(try await poll { try restarted.isReady() }, "\(restarted.log)")
    }

    @Test("`ledger check` has a status of its own for settings, and names a backup for damage alone")
    func check() async throws {
        let cluster = try TestCluster(["autovacuum=off"], port: 5461)
        defer { cluster.stop() }
        try await PostgreSQLLedger.create(cluster.url())
        let folder = try TestFolder()
        let program = try BuiltProducts.url("assay").path
        func check() throws -> (status: Int32, text: String) {
            let status = try folder.shell("'\(program)' ledger check --ledger '\(cluster.url())' >output 2>errors")
            let texts = try ["output", "errors"].map { try String(contentsOfFile: folder.path($0), encoding: .utf8) }
            return (status, texts.joined())
        }
        let settings = try check()
        #expect(settings.status == 4 && settings.text.contains("setting: autovacuum is off"), "\(settings)")
        #expect(!settings.text.contains("backup"), "\(settings)")
        try cluster.sql("INSERT INTO assay.challenge VALUES ('x', NULL, 'a', 'b', 2, 1, NULL)")
        let damage = try check()
        #expect(damage.status == 1 && damage.text.contains("restore a backup"), "\(damage)")
    }
}
