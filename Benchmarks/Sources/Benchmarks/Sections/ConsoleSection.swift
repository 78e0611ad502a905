import Assay
import AssayCore
import AssayLedgerSQLite
import Crypto
import Foundation

/// How long an operator waits for a page of the console, in a service that has grown.
struct ConsoleSection: Section {
    let name = "console"
    let title = "The console"
    let note = """
        `assay serve` with 100 apps, a SQLite ledger of a million keys, of which one account has 1,000, and 10,000 entries in its audit \
        trail. Pages come one after the other through the unix socket of operators; the time is what `curl` waits for the whole page, \
        as a share of 300 ms, and for what needs no ledger of 100 ms: less is better.
        """
    private static let apps = 100
    private static let account = "customer-1"

    func figures(_ pace: Pace) async throws -> [Figure] {
        guard FileManager.default.isExecutableFile(atPath: Places.program.path) else {
            return [Figure("pages", against: "300 ms", notShown: "run `make build` first", target: .atMost(1))]
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("assay-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let ledger = folder.appendingPathComponent("ledger.sqlite").path
        let keys = pace.count(1_000_000)
        try await Self.fill(ledger, keys: keys)
        let policy = folder.appendingPathComponent("policy.yaml")
        let apps = (0..<Self.apps).map {
            "  - { name: app-\($0), appAttest: { appIDs: [1234567890.com.example.app\($0)], "
                + "environments: [production], challenge: ledger, clientData: raw } }"
        }
        try Data("version: 1\napps:\n\(apps.joined(separator: "\n"))\n".utf8).write(to: policy)
        let socket = folder.appendingPathComponent("admin.sock").path
        let service = try ServedProgram(
            Places.program,
            ["serve", "--policy", policy.path, "--ledger", "sqlite:\(ledger)", "--open"]
                + ["listen=127.0.0.1:0", "admin=unix:\(socket)", "console=on"].flatMap { ["--set", $0] },
            in: folder
        ) { log in
            log.firstMatch(of: /"127\.0\.0\.1:([0-9]+)"/).flatMap { Int($0.1) }.map { ($0, "") }
        }
        defer { withExtendedLifetime(service) {} }
        let key = Base64.encode(Self.identifier(7).value, .url)
        let pages: [(name: String, path: String, limit: Double)] = [
            ("Overview", "/console", 0.3), ("App", "/console/app?name=app-7", 0.3),
            ("Refusals", "/console/refusals", 0.3), ("Subject: a key", "/console/subject?kind=key&name=\(key)", 0.3),
            ("Subject: an account of 1,000 keys", "/console/subject?kind=account&name=\(Self.account)", 0.3),
            ("Policy", "/console/policy", 0.3), ("Keys and operators", "/console/keys", 0.3),
            ("Audit", "/console/audit", 0.3), ("Inspect", "/console/inspect", 0.1), ("Checks", "/console/checks", 0.1),
        ]
        return pages.map { page in
            let times = (0...pace.rounds * 3).map { _ in Self.time(of: page.path, socket) }.dropFirst()
            return Figure(
                page.name, against: "\(Int(page.limit * 1000)) ms", ratios: times.map { $0 / page.limit },
                target: .atMost(1),
                detail: "\(significant(Spread(Array(times)).median * 1e3)) ms, \(keys) keys")
        }
    }

    private static func identifier(_ number: Int) -> KeyIdentifier {
        KeyIdentifier(
            engine: AppAttestConfiguration.engine, value: Array(SHA256.hash(data: Data("device \(number)".utf8))))
    }

    /// Enrols the keys, and blocks devices for the audit trail.
    private static func fill(_ path: String, keys: Int) async throws {
        let ledger = try SQLiteLedger.open(path: path)
        let now = Date()
        for first in stride(from: 0, to: keys, by: 1000) {
            let effects = (first..<min(first + 1000, keys)).map { number in
                let key = EnrolledKey(
                    identifier: identifier(number), app: "app-\(number % apps)",
                    publicKey: [4] + Array(repeating: 7, count: 64), counter: 0, enrolledAt: now,
                    properties: ["appId": "1234567890.com.example.app\(number % apps)", "environment": "production"],
                    account: number < 1000 ? account : nil)
                return LedgerEffect(.appAttestAttestationEnrolment, .enrol(key))
            }
            require(try await ledger.commit(effects, at: now).isApplied, "keys are refused")
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for part in 0..<100 {
                group.addTask {
                    for number in 0..<100 {
                        let device = LedgerSubject(.device, "device-\(part)-\(number)")
                        try await ledger.block(
                            LedgerBlock(subject: device, reason: "lost", since: now, until: now + 60))
                    }
                }
            }
            try await group.waitForAll()
        }
        try await ledger.close()
    }

    /// Seconds until a page is there.
    private static func time(of page: String, _ socket: String) -> Double {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "curl", "-sS", "--fail", "-o", "/dev/null", "-w", "%{http_code} %{time_total}", "--unix-socket", socket,
            "http://benchmark.localhost\(page)",
        ]
        process.standardOutput = pipe
        guard (try? process.run()) != nil else { stop("curl is not there") }
        let words = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self).split(
            separator: " ")
        process.waitUntilExit()
        guard words.count == 2, words[0] == "200", let seconds = Double(words[1]) else {
            stop("\(page) is not answered: \(words.joined(separator: " "))")
        }
        return seconds
    }
}
