import AssayCore
import AssayLedgerPostgreSQL
import AssayTestSupport
import Foundation
import Testing

@Suite("Connecting", .enabled(if: TestCluster.isAvailable, "\(TestCluster.hint)"))
struct ConnectionTests {
    private static func outage(_ url: String) async -> LedgerOutage? {
        do {
            try await PostgreSQLLedger.with(url) { _ in }
            return nil
        } catch {
            return error as? LedgerOutage
        }
    }

    @Test("A server that takes connections and says nothing is waited for until the deadline, and not longer")
    func silentServer() async throws {
        let cluster = try TestCluster.shared()
        let direct = try await cluster.newLedger()
        let folder = try TestFolder(in: URL(fileURLWithPath: "/tmp"))
        let proxy = try FaultyProxy(folder: folder.url.path, port: 5432, server: cluster.socket)
        defer { proxy.close() }
        proxy.set(isStalled: true)
        let (good, silent) = (cluster.folder.url.path, folder.url.path)
        func url(_ hosts: [String], _ query: String) -> String {
            direct.replacing(
                good.replacing("/", with: "%2F"),
                with: hosts.map { $0.replacing("/", with: "%2F") }.joined(separator: ",")
            ).replacing(":5432", with: "") + "&\(query)"
        }
        let start = ContinuousClock.now
        let outage = await Self.outage(url([silent], "timeout=1&connect_timeout=300"))
        #expect(outage?.code == .unreachable && outage?.message.contains("connecting to \(silent)") == true)
        // Not the 300 seconds of the connection.
        #expect(ContinuousClock.now - start < .seconds(200))
        // The next host gets its turn, after its part of the time or `connect_timeout`.
        #expect(await Self.outage(url([silent, good], "timeout=120&connect_timeout=1")) == nil)
        let both = await Self.outage(url([silent, "/nowhere"], "timeout=2"))
        #expect(both?.message.contains(silent) == true && both?.message.contains("/nowhere") == true)
        #expect(both?.message.contains("directory Is the server running") == true, "\(both?.message ?? "none")")
    }

    @Test("Without a free connection there is an outage that names the setting, and nothing is applied or lost")
    func connectionsExhausted() async throws {
        let cluster = try TestCluster(["max_connections=9", "superuser_reserved_connections=3"], port: 5444)
        defer { cluster.stop() }
        try cluster.sql("CREATE ROLE server LOGIN")
        try await PostgreSQLLedger.create(cluster.url(), grantingTo: "server")
        let url = cluster.url("timeout=5", user: "server")
        let ledger = try await PostgreSQLLedger.open(url)
        let keys = 24
        _ = try await ledger.commit((0..<keys).map(Sample.enrol), at: Sample.now)
        var others: [PostgreSQLLedger] = []
        var refusal: LedgerOutage?
        while refusal == nil, others.count < 9 {
            do { others.append(try await PostgreSQLLedger.open(url)) } catch { refusal = error as? LedgerOutage }
        }
        #expect(refusal?.code == .unreachable)
        #expect(refusal?.message.contains("53300") == true && refusal?.message.contains("max_connections") == true)
        // One writing connection is open, the other one is refused.
        let outcomes = await withTaskGroup(of: (Int, OutageCode?).self) { group in
            for key in 0..<keys {
                group.addTask { (key, await ledger.outage(of: [Sample.advance(key, to: 1)])) }
            }
            return await group.reduce(into: [Int: OutageCode?]()) { $0[$1.0] = .some($1.1) }
        }
        for other in others { try await other.close() }
        #expect(try await poll { (try? await ledger.counter(0)) != nil })
        for (key, code) in outcomes {
            #expect(code == nil || code == .unreachable)
            #expect(try await ledger.counter(key) == (code == nil ? 1 : 0), "key \(key)")
        }
        #expect(await ledger.outage(of: [Sample.advance(0, to: 2)]) == nil)
        try await ledger.close()
    }

    @Test("A role that lacks one right has an outage, and nothing of the transaction is applied")
    func missingRight() async throws {
        let cluster = try TestCluster.shared()
        try cluster.sql("CREATE ROLE limited LOGIN")
        let owner = cluster.url("schema=limited")
        try await PostgreSQLLedger.create(owner, grantingTo: "limited")
        try await PostgreSQLLedger.with(cluster.url("schema=limited", user: "limited")) { ledger in
            _ = try await ledger.commit([Sample.enrol(1)], at: Sample.now)
            try cluster.sql("REVOKE INSERT ON limited.used_digest FROM limited")
            let use = UsedDigest(
                digest: [1], app: Sample.app, kind: EvidenceKind("test"), madeAt: Sample.now, usedAt: Sample.now,
                until: Sample.now + 300)
            let effects = [
                Sample.advance(1, to: 1), LedgerEffect(CheckID("test.digest"), .rememberDigest(use)),
            ]
            do throws(LedgerOutage) {
                _ = try await ledger.commit(effects, at: Sample.now)
                Issue.record("the digest was stored")
            } catch {
                #expect(error.code == .readOnly && error.message.contains("grants"))
            }
            #expect(try await ledger.counter(1) == 0)
            try cluster.sql("GRANT INSERT ON limited.used_digest TO limited")
            #expect(try await ledger.commit(effects, at: Sample.now).isApplied)
        }
    }

    @Test("With verify-full, a server is used only if its certificate is of the trusted authority and has its name")
    func certificates() async throws {
        let folder = try TestFolder(in: URL(fileURLWithPath: "/tmp"))
        for name in ["server", "other"] {
            try Self.openssl([
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                "/CN=Test", "-addext", "subjectAltName=DNS:db.example.com", "-keyout", folder.path("\(name).key"),
                "-out",
                folder.path("\(name).pem"),
            ])
        }
        try TestCluster.hand(over: folder.url.path)
        for file in ["server.key", "server.pem"] { try TestCluster.hand(over: folder.path(file)) }
        let port = try Loopback.freePort()
        let cluster = try TestCluster(
            [
                "listen_addresses=127.0.0.1", "ssl=on", "ssl_cert_file=\(folder.path("server.pem"))",
                "ssl_key_file=\(folder.path("server.key"))",
            ], port: port)
        defer { cluster.stop() }
        try await PostgreSQLLedger.create(cluster.url())
        func url(_ host: String, _ root: String, _ mode: String = "verify-full") -> String {
            "postgresql://postgres@\(host):\(port)/postgres?hostaddr=127.0.0.1&sslmode=\(mode)&sslrootcert="
                + folder.path("\(root).pem")
        }
        try await PostgreSQLLedger.with(url("db.example.com", "server")) { ledger in
            _ = try await ledger.commit([Sample.enrol(1)], at: Sample.now)
            #expect(try await ledger.counter(1) == 0)
            // All connections are encrypted.
            let count =
                "SELECT count(*), count(*) FILTER (WHERE ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)"
            let counts = try cluster.sql("\(count) WHERE client_addr IS NOT NULL").split(separator: "|")
            #expect(counts.count == 2 && counts[0] == counts[1] && counts[0] != "0", "\(counts)")
        }
        #expect(await Self.outage(url("other.example.com", "server", "verify-ca")) == nil)
        for wrong in [
            url("other.example.com", "server"), url("db.example.com", "other"),
            url("db.example.com", "other", "verify-ca"),
            url("db.example.com", "missing"),
        ] {
            let outage = await Self.outage(wrong)
            #expect(
                outage?.code == .unreachable && outage?.message.contains("sslrootcert") == true,
                "\(wrong): \(outage?.message ?? "connected")")
        }
    }

    private static func openssl(_ arguments: [String]) throws {
        let run = try ProgramRun("openssl", arguments)
        try #require(run.status == 0, "openssl is needed: \(run.text)")
    }
}
