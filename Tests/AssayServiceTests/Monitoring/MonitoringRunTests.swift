import AssayCore
import AssayTestSupport
import Foundation
import Testing

/// A service, a Prometheus that scrapes it, and a load of mixed evidence: what goes wrong fires an alert, which ends when it is mended.
@Suite("Monitoring in a run", .timeLimit(.minutes(30)))
struct MonitoringRunTests {
    /// Sends evidence.
    private final class Load {
        let service: RunningService
        private var counter: UInt32 = 0

        init(_ service: RunningService) { self.service = service }

        private func verify(_ record: String) throws {
            _ = try service.send("POST", "/v1/verify", body: record)
        }

        private func token(_ token: String) -> String {
            #"{"kind":"approov.token","app":"api","evidence":{"token":"\#(token)","binding":["Bearer me"]}}"#
        }

        /// Evidence that is accepted.
        func sendGood() throws {
            if counter == 0 { try verify(Evidence.attestation("enrol")) }
            counter += 1
            try verify(Evidence.assertion("good", counter: counter))
            try verify(token(GuardedService.token(authorization: "Bearer me")))
        }

        /// Evidence that is rejected: a replay, a forged token, a status word in place of one.
        func sendBad() throws {
            try verify(Evidence.assertion("replayed", counter: counter))
            let forged = try GuardedService.token(
                authorization: "Bearer me", secret: [UInt8](repeating: 1, count: 64))
            try verify(token(forged))
            try verify(token("MITM_DETECTED"))
        }
    }

    private static func writePolicy(_ folder: TestFolder, keyEndsIn seconds: TimeInterval) throws {
        try Evidence.writePolicy(to: folder)
        try GuardedService.writePolicy(to: folder)
        let end = RFC3339.format(Date(timeIntervalSinceNow: seconds))
        let text = folder.read("policy.yaml")
        try folder.write(
            "policy.yaml",
            text.replacingOccurrences(
                of: #"secret: "file:approov.b64" }"#, with: #"secret: "file:approov.b64", notAfter: \#(end) }"#))
    }

    @Test("Each alert fires and ends, and every query of the dashboard gives data")
    func run() throws {
        let day: TimeInterval = 86_400
        let service = try RunningService(["admin=127.0.0.1:0"]) { folder in
            try Self.writePolicy(folder, keyEndsIn: 10 * day)
        }
        let listen = service.entries("ready").first?["assay.listen"] as? [String] ?? []
        let address = try #require(listen.last { $0.hasPrefix("127.0.0.1:") && !$0.hasSuffix(":\(service.port)") })
        let prometheus = try RunningPrometheus(scraping: address, in: service.folder)
        let load = Load(service)
        /// Polls for a condition under a load.
        func wait(_ what: String, under load: () throws -> Void, until holds: (Set<String>) throws -> Bool) throws {
            let end = Date(timeIntervalSinceNow: 600)
            while true {
                let firing = try prometheus.firing()
                if try holds(firing) { return }
                try #require(Date() < end, "not \(what): \(firing)")
                try load()
                usleep(100_000)
            }
        }
        let attacks: Set<String> = ["AssayBadSignatures", "AssayEmptyTokens"]
        try wait(
            "attacked",
            under: {
                try load.sendGood(); try load.sendBad()
            }, until: attacks.union(["AssayKeyEnds"]).isSubset)

        // Of Google, of a certificate there is nothing in this run.
        let queries = try Monitoring.queries().filter {
            !$0.query.contains("google") && !$0.query.contains("certificate")
        }
        #expect(queries.count > 20)
        for (panel, query) in queries {
            try wait(
                "data in \(panel): \(query)",
                under: {
                    try load.sendGood(); try load.sendBad()
                }
            ) { _ in
                try prometheus.series(query) ?? 0 > 0
            }
        }

        try wait("at peace", under: load.sendGood) { $0.isDisjoint(with: attacks) }
        try Self.writePolicy(service.folder, keyEndsIn: 300 * day)
        try wait("rotated", under: load.sendGood) { !$0.contains("AssayKeyEnds") }

        let lock = try LockedLedger(service)
        try wait("an outage", under: load.sendGood) { $0.contains("AssayOutage") }
        lock.end()
        try wait("the ledger is back", under: load.sendGood) { !$0.contains("AssayOutage") }

        try Self.writePolicy(service.folder, keyEndsIn: -day)
        try wait("expired", under: load.sendGood) { $0.contains("AssayNoLiveKey") }
        try Self.writePolicy(service.folder, keyEndsIn: 300 * day)
        try wait("a live key", under: load.sendGood) { !$0.contains("AssayNoLiveKey") }

        try service.folder.write("policy.yaml", "version: 1\napps: []\n")
        try wait("a policy that cannot be used", under: load.sendGood) { $0.contains("AssayReloadFailed") }
        try Self.writePolicy(service.folder, keyEndsIn: 300 * day)
        try wait("a policy again", under: load.sendGood) { !$0.contains("AssayReloadFailed") }

        service.signal(SIGTERM)
        #expect(service.wait() == 0, "\(service.logText)")
        try wait("down", under: {}) { $0.contains("AssayDown") }
    }
}
