import Foundation

/// What it takes to start a service with many apps, and to exchange its policy.
struct AppsSection: Section {
    let name = "apps"
    let title = "A service with many apps"
    let note = """
        Processor time of `assay serve`, all threads and the system's part included, until it is ready, and for `assay policy \
        reload` of a policy with one app more. Each app has a section `appAttest`, and `approov` with one key for all.
        """

    func figures(_ pace: Pace) async throws -> [Figure] {
        guard FileManager.default.isExecutableFile(atPath: Places.program.path) else {
            return [Figure("assay serve", against: "", notShown: "run `make bench`, which builds it", target: .none)]
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("assay-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let rounds = try (0..<max(1, pace.rounds / 3)).map { _ in
            (try Self.run(pace.count(1000), in: folder), try Self.run(pace.count(2000), in: folder))
        }
        func figures(
            _ name: String, _ limit: Double, _ time: ((start: Double, reload: Double)) -> Double
        ) -> [Figure] {
            let (one, two) = (rounds.map { time($0.0) }, rounds.map { time($0.1) })
            let detail = "\(significant(Spread(one).median)) s; \(significant(Spread(two).median)) s with twice as many"
            return [
                Figure(
                    "\(name) with \(pace.count(1000)) apps", against: "\(limit) s", ratios: one.map { $0 / limit },
                    target: .atMost(1), detail: detail),
                Figure(
                    "\(name) with twice as many apps", against: "with \(pace.count(1000))",
                    ratios: zip(one, two).map { $1 / $0 }, target: .atMost(2.2)),
            ]
        }
        return figures("start", 1) { $0.start } + figures("reload", 0.5) { $0.reload }
    }

    private static func run(_ count: Int, in folder: URL) throws -> (start: Double, reload: Double) {
        func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
        func write(_ name: String, _ text: String) {
            require(
                FileManager.default.createFile(
                    atPath: path(name), contents: Data(text.utf8), attributes: [.posixPermissions: 0o600]),
                "\(name) cannot be written")
        }
        write("secret", Data((0..<64).map { $0 }).base64EncodedString() + "\n")
        write("policy.yaml", policy(count))
        let socket = "unix:\(path("admin.sock"))"
        let service = try ServedProgram(
            Places.program,
            [
                "serve", "--policy", path("policy.yaml"), "--create-ledger", "--ledger",
                "sqlite:\(path("ledger.sqlite"))",
            ]
                + ["listen=127.0.0.1:0", "admin=\(socket)", "open=true"].flatMap { ["--set", $0] },
            in: folder
        ) { log in
            log.firstMatch(of: /"127\.0\.0\.1:([0-9]+)"/).flatMap { Int($0.1) }.map { ($0, "") }
        }
        let start = service.processorTime
        let reload = ProgramRun(
            name: "assay policy reload", path: Places.program.path,
            arguments: ["policy", "reload", "--address", socket])
        // The watch of files would reload too.
        write("policy.yaml", policy(count + 1))
        return (start, service.time { _ = reload.processorTime() })
    }

    private static func policy(_ count: Int) -> String {
        let apps = (0..<count).map { number in
            """
              - name: shop-\(number)
                appAttest:
                  appIDs: [1234567890.com.example.shop\(number)]
                  environments: [production]
                  challenge: caller
                  clientData: raw
                approov: { keys: [now], failover: reject }
            """
        }
        return """
            version: 1
            keys:
              - { name: now, use: approov, secret: "file:secret" }
            apps:
            \(apps.joined(separator: "\n"))

            """
    }
}
