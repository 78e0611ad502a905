import Foundation

/// `assay serve` against the same server without Assay.
struct ServiceSection: Section {
    let name = "service"
    let title = "The service"
    let note = """
        `assay serve` with a durable ledger in a process of its own, 64 connections on loopback, an operator's token on each \
        request to `/v1/verify`. The bare server is Hummingbird with a route. Processor time of the server's process, the \
        system's part included, for each request; times of answers are those that the client sees. The slow bodies come a \
        byte at a time; memory is resident memory.
        """

    func figures(_ pace: Pace) async throws -> [Figure] {
        guard [Places.program, Places.bareServer].allSatisfy({ FileManager.default.isExecutableFile(atPath: $0.path) })
        else {
            return [Figure("assay serve", against: "", notShown: "run `make bench`, which builds it", target: .none)]
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("assay-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let subject = try ServiceSubject(in: folder)
        let counters = folder.appendingPathComponent("counters").path
        try await CounterFile.prepare(counters)
        return try await verification(subject, LedgerCounters(path: counters, CounterFile.devices()), pace)
            + tokens(subject, pace) + [latency(subject, pace)] + memory(subject, pace)
    }

    /// An assertion through the service, against its parts.
    private func verification(
        _ subject: ServiceSubject, _ ledger: LedgerCounters, _ pace: Pace
    ) async throws -> [Figure] {
        let p256 = try AppAttestSubject()
        let service = HTTPLoad(
            port: subject.service.port, connections: ServiceSubject.connections, expecting: ServiceSubject.accepted)
        let bare = HTTPLoad(
            port: subject.bare.port, connections: ServiceSubject.connections, expecting: "\"assertion\"")
        let each = max(4, Int(pace.turn * 1000))
        let count = each * ServiceSubject.connections
        var rounds: [(whole: Double, parts: [Double])] = []
        for _ in 0..<pace.rounds {
            let requests = try subject.verifications(each)
            let whole = subject.service.time { _ = service.run(requests) }
            let echo = subject.bare.time { _ = bare.run(ServiceSubject.echoes(requests)) }
            let signature = Stopwatch.thread { p256.bareP256(count) }
            let step = try await Stopwatch.process { try await ledger.step(count, writers: ServiceSubject.connections) }
            rounds.append((whole, [echo, signature, step]))
        }
        func microseconds(_ time: (((whole: Double, parts: [Double])) -> Double)) -> String {
            significant(Spread(rounds.map(time)).median / Double(count) * 1e6)
        }
        return [
            Figure(
                "an assertion through POST /v1/verify",
                against: "the body sent back, a bare P-256 verification, a ledger step of 64 together",
                ratios: rounds.map { $0.whole / $0.parts.reduce(0, +) }, target: .atMost(1.25),
                detail: "\(microseconds { $0.whole }) us against \(microseconds { $0.parts[0] }), "
                    + "\(microseconds { $0.parts[1] }) and \(microseconds { $0.parts[2] }) us")
        ]
    }

    /// Tokens of Approov against answers without a look.
    private func tokens(_ subject: ServiceSubject, _ pace: Pace) -> [Figure] {
        let authorization = subject.authorization("/v1/authorize/api")
        return [
            tokens(
                "forward auth of an Approov token", subject.service, authorization, against: subject.bare,
                subject.authorization("/"), .atLeast(0.75), pace),
            tokens(
                "the middleware with an Approov token", subject.guarded, subject.guardedRequest(),
                against: subject.bare, subject.guardedRequest(), .atLeast(0.8), pace),
        ]
    }

    private func tokens(
        _ name: String, _ ours: ServedProgram, _ request: [UInt8], against bare: ServedProgram, _ unseen: [UInt8],
        _ target: Target, _ pace: Pace
    ) -> Figure {
        let connections = ServiceSubject.connections
        let each = max(4, Int(pace.turn * 2500))
        func contender(_ server: ServedProgram, _ request: [UInt8]) -> () -> Double {
            let load = HTTPLoad(port: server.port, connections: connections, expecting: " 200 OK")
            let requests = [[[UInt8]]](repeating: [[UInt8]](repeating: request, count: each), count: connections)
            return { server.time { _ = load.run(requests) } }
        }
        let (checked, unchecked) = (contender(ours, request), contender(bare, unseen))
        let rounds = (0..<pace.rounds).map { _ in (checked(), unchecked()) }
        func microseconds(_ time: ((Double, Double)) -> Double) -> String {
            significant(Spread(rounds.map(time)).median / Double(each * connections) * 1e6)
        }
        return Figure(
            name, against: "a 200 without a look", ratios: rounds.map { $0.1 / $0.0 }, target: target,
            detail: "\(microseconds { $0.0 }) us against \(microseconds { $0.1 }) us")
    }

    /// The slowest answers against the usual one, at a load that leaves some time.
    private func latency(_ subject: ServiceSubject, _ pace: Pace) throws -> Figure {
        let load = HTTPLoad(
            port: subject.service.port, connections: ServiceSubject.connections, expecting: ServiceSubject.accepted)
        let each = max(8, Int(pace.turn * 4000))
        var ratios: [Double] = []
        var details: [(rate: Double, median: Double, slow: Double)] = []
        for _ in 0..<max(1, pace.rounds / 3) {
            let (fast, paced) = (try subject.verifications(each / 4), try subject.verifications(each))
            let seconds = Stopwatch.wall { _ = load.run(fast) }
            let rate = Double(each / 4 * ServiceSubject.connections) / seconds
            let latencies = load.run(paced, rate: rate * 0.7).sorted()
            let (median, slow) = (latencies[latencies.count / 2], latencies[latencies.count * 99 / 100])
            ratios.append(slow / median)
            details.append((rate, median, slow))
        }
        let middle = details.sorted { $0.slow / $0.median < $1.slow / $1.median }[details.count / 2]
        return Figure(
            "the 99th percentile at 70 % of the greatest rate", against: "the median", ratios: ratios,
            target: .atMost(5),
            detail: "\(significant(middle.slow * 1e3)) ms against \(significant(middle.median * 1e3)) ms "
                + "at 0.7 x \(Int(middle.rate))/s")
    }

    /// Memory under connections without a request, and under bodies that do not end.
    private func memory(_ subject: ServiceSubject, _ pace: Pace) -> [Figure] {
        let before = subject.service.memory
        var slow: [Double] = []
        do {
            let load = HTTPLoad(port: subject.service.port, connections: pace.count(1000), expecting: "")
            load.write(subject.bodiless(length: 20_000))
            for _ in 0..<10 {
                for _ in 0..<5 {
                    load.write(Array("{".utf8))
                    usleep(20_000)
                }
                slow.append(subject.service.memory)
            }
        }
        let count = pace.count(10_000)
        let settled = subject.service.memory
        let load = HTTPLoad(port: subject.service.port, connections: count, expecting: "")
        // All are accepted when a request of a later one is answered.
        let last = HTTPLoad(port: subject.service.port, connections: 1, expecting: " 200 OK")
        _ = last.run([[subject.authorization("/v1/authorize/api")]])
        let idle = subject.service.memory
        load.write(Array("G".utf8))
        _ = last.run([[subject.authorization("/v1/authorize/api")]])
        let begun = subject.service.memory
        let each = max(0, max(idle, begun) - settled) * 1024 / Double(count)
        let way = slow.map { "\(Int($0))" }.joined(separator: " ")
        return [
            Figure(
                "memory under \(pace.count(1000)) slow bodies, at the end", against: "at the start",
                ratios: [(slow.last ?? 0) / (slow.first ?? 1)], target: .atMost(1.1),
                detail: "\(Int(before)) MiB before; \(way) MiB"),
            Figure(
                "memory under \(count) idle connections", against: "300 MiB",
                ratios: [max(idle, begun) / 300], target: .atMost(1),
                detail: "\(Int(idle)) MiB; \(Int(begun)) MiB when each has sent a byte"),
            Figure(
                "memory of an idle connection", against: "10 KiB", ratios: [each / 10], target: .atMost(1),
                detail: "\(significant(each)) KiB"),
        ]
    }
}
