import Foundation

/// What the capture of evidence costs a service.
struct CaptureSection: Section {
    let name = "capture"
    let title = "Captures"
    let note = """
        `assay serve` with a durable ledger, an assertion in each request to `/v1/verify`, 64 connections: with every record captured, and \
        with none. Processor time of the server's process; a hundredth of what is more counts for a share of 1 %. Less is better.
        """

    func figures(_ pace: Pace) async throws -> [Figure] {
        guard [Places.program, Places.bareServer].allSatisfy({ FileManager.default.isExecutableFile(atPath: $0.path) })
        else {
            return [Figure("captures", against: "none", notShown: "run `make bench`, which builds it", target: .none)]
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("assay-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let keys = folder.appendingPathComponent("keys").path
        func subject(_ name: String, _ settings: [String]) throws -> ServiceSubject {
            let own = folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
            return try ServiceSubject(in: own, settings: settings)
        }
        let plain = try subject("plain", [])
        _ = try ServiceSubject.output(["capture", "key", "--output", keys])
        let files = try FileManager.default.contentsOfDirectory(atPath: keys)
        guard let publicKey = files.first(where: { $0.contains("public") }) else {
            stop("there is no public key in \(files)")
        }
        let captured = try subject(
            "captured",
            [
                "capture.folder=\(folder.appendingPathComponent("captures").path)", "capture.key=\(keys)/\(publicKey)",
                "capture.share=100%",
            ])
        let each = max(8, Int(pace.turn * 1000))
        func time(_ subject: ServiceSubject) throws -> Double {
            let load = HTTPLoad(
                port: subject.service.port, connections: ServiceSubject.connections, expecting: ServiceSubject.accepted)
            let requests = try subject.verifications(each)
            let start = subject.service.processorTime
            _ = load.run(requests)
            // What waits is written.
            usleep(300_000)
            return subject.service.processorTime - start
        }
        let rounds = try (0..<pace.rounds).map { _ in (try time(captured), try time(plain)) }
        let requests = Double(each * ServiceSubject.connections)
        func microseconds(_ time: ((Double, Double)) -> Double) -> String {
            significant(Spread(rounds.map(time)).median / requests * 1e6)
        }
        return [
            Figure(
                "a verdict with a share of 1 %", against: "a verdict without captures",
                ratios: rounds.map { 1 + ($0.0 / $0.1 - 1) / 100 }, target: .atMost(1.02),
                detail: "\(microseconds { $0.0 }) us with all captured against \(microseconds { $0.1 }) us")
        ]
    }
}
