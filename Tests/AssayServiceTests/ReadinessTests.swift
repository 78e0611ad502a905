import AssayTestSupport
import Foundation
import Testing

/// `/readyz` is what load balancers go by: it fails with each fault of the ledger that would fail requests.
@Suite("Readiness", .timeLimit(.minutes(30)))
struct ReadinessTests {
    /// The status and the problem of `/readyz`, and the value of `assay_ready`.
    private static func readiness(_ service: RunningService) throws -> (status: Int, detail: String, metric: String) {
        let admin = service.folder.path("admin.sock")
        let answer = try service.send("GET", "/readyz", type: nil, unix: admin)
        let metrics = try service.send("GET", "/metrics", type: nil, unix: admin).body
        let line = metrics.split(separator: "\n").first { $0.hasPrefix("assay_ready ") } ?? ""
        return (answer.status, answer.json["detail"] as? String ?? "", String(line.dropFirst("assay_ready ".count)))
    }

    @Test(
        "A file that was removed, replaced, linked or overwritten is found by the next question",
        arguments: [
            ("rm ledger.sqlite", "wrong-ledger"),
            (
                "cp ledger.sqlite x.sqlite && rm ledger.sqlite ledger.sqlite-wal ledger.sqlite-shm && mv x.sqlite ledger.sqlite",
                "wrong-ledger"
            ),
            ("rm ledger.sqlite-shm", "wrong-ledger"), ("rm ledger.sqlite-wal", "wrong-ledger"),
            ("ln ledger.sqlite x.sqlite", "wrong-ledger"),
            ("dd if=/dev/zero of=ledger.sqlite bs=4096 seek=1 count=200 conv=notrunc", "corrupt"),
            (": >ledger.sqlite", "corrupt"),
        ])
    func files(_ command: String, _ code: String) throws {
        let folder = try TestFolder()
        let first = try RunningService([], in: folder)
        first.signal(SIGTERM)
        #expect(first.wait() == 0)
        // All pages are in the file now, and none in its log.
        let service = try RunningService([], in: folder)
        let sound = try Self.readiness(service)
        #expect(sound.status == 200 && sound.metric == "1.0", "\(sound)")
        let record = try Evidence.attestation("a")
        try #require(try folder.shell("{ \(command); } 2>/dev/null") == 0)
        // The answer may be that of a proof which was under way.
        var found = try Self.readiness(service)
        try service.waitUntil("unready") {
            found = (try? Self.readiness(service)) ?? found
            return found.status == 503
        }
        // SQLite removes the log of a file that has become empty, if it opens that one first.
        let codes = command == ": >ledger.sqlite" ? [code, "wrong-ledger"] : [code]
        #expect(codes.contains { found.detail.contains("ledger outage (\($0))") }, "\(found)")
        #expect(found.metric == "0.0", "\(found)")
        if code == "wrong-ledger" {
            let answer = try service.send("POST", "/v1/verify", body: record)
            #expect(answer.status == 503 && answer.json["outcome"] == nil, "\(answer)")
        }
        try service.waitUntil("logged") { !service.entries("the service is not ready").isEmpty }
    }

    @Test("A service on a ledger that was moved is unready, and its readers accept nothing more")
    func moved() throws {
        let service = try RunningService()
        let ledger = "sqlite:\(service.folder.path("ledger.sqlite"))"
        let admin = service.folder.path("admin.sock")
        #expect(try Self.readiness(service).status == 200)
        let target = "sqlite:\(service.folder.path("new.sqlite"))"
        #expect(try service.assay("migrate", ledger, target).status == 0)
        var found = try Self.readiness(service)
        try service.waitUntil("unready") {
            found = (try? Self.readiness(service)) ?? found
            return found.status == 503
        }
        #expect(
            found.status == 503 && found.detail.contains("was moved to \(target)") && found.metric == "0.0", "\(found)")
        try service.waitUntil("a reader knows it") {
            let answer = try? service.send("GET", "/v1/admin/subjects?account=alice", type: nil, unix: admin)
            return answer?.status == 503
        }
        #expect(try service.assay("migrate", ledger, target).status == 0, "the same command again")
        for suffix in ["", "-wal", "-shm"] { unlink(service.folder.path("new.sqlite\(suffix)")) }
        #expect(
            try service.assay(
                "ledger", "block", "--account", "x", "--reason", "x", "--ledger", target, "--create-ledger"
            )
            .status == 0)
        #expect(try service.assay("migrate", ledger, target).status == 64, "another ledger is there now")
        #expect(try service.assay("ledger", "show", "--ledger", target).status == 0)
    }

    @Test(
        "A full disk makes the service unready, and free space makes it ready again",
        .enabled(if: StressProcess.canMount && getuid() == 0, "mounting a small tmpfs needs root"))
    func fullDisk() throws {
        let disk = try TestFolder()
        try #require(try disk.shell("mount -t tmpfs -o size=2m tmpfs .") == 0)
        defer { _ = try? disk.shell("cd / && umount -l '\(disk.url.path)'") }
        let service = try RunningService([], ledger: "sqlite:\(disk.path("ledger.sqlite"))")
        #expect(try Self.readiness(service).status == 200)
        _ = try disk.shell("dd if=/dev/zero of='\(disk.path("ballast"))' bs=4096 2>/dev/null")
        var found = try Self.readiness(service)
        try service.waitUntil("unready") {
            found = (try? Self.readiness(service)) ?? found
            return found.status == 503
        }
        #expect(found.detail.contains("ledger outage (full)") && found.metric == "0.0", "\(found)")
        unlink(disk.path("ballast"))
        try service.waitUntil("ready again") { (try? Self.readiness(service).status) == 200 }
        try service.waitUntil("logged") { !service.entries("the service is ready again").isEmpty }
    }

    @Test("A ledger that is missing or empty is no ledger to begin with: it was lost, unless the flag says otherwise")
    func missing() throws {
        let folder = try TestFolder()
        try Evidence.writePolicy(to: folder)
        let program = try BuiltProducts.url("assay").path
        for (command, advice) in [(":", "--create-ledger"), (": >l.sqlite", "a file of 0 bytes: restore the ledger")] {
            _ = try folder.shell(command)
            let status = try folder.shell(
                "'\(program)' serve --open --policy policy.yaml --ledger sqlite:l.sqlite --listen 127.0.0.1:0 "
                    + "--set admin=none 2>errors")
            #expect(status == 3)
            let errors = try String(contentsOfFile: folder.path("errors"), encoding: .utf8)
            #expect(errors.contains("there is no ledger at l.sqlite") && errors.contains(advice), "\(errors)")
        }
        #expect(try Data(contentsOf: folder.url.appendingPathComponent("l.sqlite")).isEmpty)
        #expect(
            try folder.shell("rm l.sqlite; '\(program)' ledger create --ledger sqlite:l.sqlite >output 2>errors") == 0)
        let service = try RunningService([], in: folder, ledger: "sqlite:\(folder.path("l.sqlite"))")
        #expect(try Self.readiness(service).status == 200)
    }
}
