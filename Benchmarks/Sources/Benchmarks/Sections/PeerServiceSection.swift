import Foundation

/// `assay serve` against what a backend would write itself.
struct PeerServiceSection: Section {
    let name = "peer-service"
    let title = "The service, against services in Go and Python"
    let note = """
        Ratios of processor time for each request, ours to theirs: less is better. Each server is a process of its own, the \
        system's part included, with 64 connections on loopback, in the same run by turns. Ours has a durable SQLite ledger, \
        an operator's token and a log. All are sent the same assertions: first as fast as answers come, then 2,000 a second. \
        Go: net/http, encoding/json and crypto/ecdsa. Python: FastAPI, pyattest and uvicorn in one process.
        """

    private static let rate = 2000.0
    private static let omissions =
        "the ledger, so also replays and counters; operators, limits, the log, metrics, named checks"

    func figures(_ pace: Pace) async throws -> [Figure] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("assay-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let subject = try ServiceSubject(in: folder)
        let peers = try PeerServices(keys: subject.publicKeys, in: folder)
        return try verification(subject, peers, pace) + bareAnswers(subject, peers, pace)
    }

    private func verification(_ subject: ServiceSubject, _ peers: PeerServices, _ pace: Pace) throws -> [Figure] {
        let loads = [subject.service, peers.go, peers.fastAPI].map { Load($0, expecting: ServiceSubject.accepted) }
        let (each, pacedEach) = (max(4, Int(pace.turn * 1000)), max(4, Int(pace.turn * 500)))
        var (closed, paced): ([[Double]], [[Double]]) = ([], [])
        for _ in 0..<pace.rounds {
            let requests = try subject.verifications(each)
            closed.append(loads.map { $0.time(requests) })
            let later = try subject.verifications(pacedEach)
            paced.append(loads.map { $0.time(later, rate: Self.rate) })
        }
        func figures(_ kind: String, _ rounds: [[Double]]) -> [Figure] {
            let targets = [("a naive service in Go", Target.atMost(1)), ("FastAPI with pyattest", .atMost(0.45))]
            return targets.enumerated().map { index, peer in
                Figure(
                    "an assertion through POST /v1/verify, \(kind)", against: peer.0,
                    ratios: rounds.map { $0[0] / $0[index + 1] }, target: peer.1,
                    detail: Self.detail(rounds, 0, index + 1), leavesOut: Self.omissions)
            }
        }
        return figures("closed load", closed) + figures("\(Int(Self.rate)) a second", paced)
    }

    private func bareAnswers(_ subject: ServiceSubject, _ peers: PeerServices, _ pace: Pace) -> [Figure] {
        let unseen = Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        let work = [
            (subject.service, subject.authorization("/v1/authorize/api")), (subject.guarded, subject.guardedRequest()),
            (peers.go, unseen), (subject.bare, unseen), (peers.fastAPI, unseen),
        ].map { (load: Load($0.0, expecting: " 200 OK"), request: $0.1) }
        let each = max(4, Int(pace.turn * 2500))
        let rounds = (0..<pace.rounds).map { _ in
            work.map { work in
                let requests = [[UInt8]](repeating: work.request, count: each)
                return work.load.time([[[UInt8]]](repeating: requests, count: ServiceSubject.connections))
            }
        }
        return [
            ("forward auth of an Approov token", 0, "a bare answer in Go", 2, Target.atMost(2.5)),
            ("the middleware with an Approov token", 1, "a bare answer of Hummingbird", 3, .atMost(1.2)),
            ("a bare answer of Hummingbird", 3, "a bare answer in Go", 2, .none),
            ("a bare answer of Hummingbird", 3, "a bare answer of FastAPI", 4, .none),
        ].map { name, ours, baseline, theirs, target in
            Figure(
                name, against: baseline, ratios: rounds.map { $0[ours] / $0[theirs] }, target: target,
                detail: Self.detail(rounds, ours, theirs))
        }
    }

    private static func detail(_ rounds: [[Double]], _ ours: Int, _ theirs: Int) -> String {
        func microseconds(_ index: Int) -> String { significant(Spread(rounds.map { $0[index] }).median * 1e6) }
        return "\(microseconds(ours)) us against \(microseconds(theirs)) us"
    }

    /// Connections to a server, and its watch.
    private struct Load {
        let server: ServedProgram
        let connections: HTTPLoad

        init(_ server: ServedProgram, expecting expected: StaticString) {
            self.server = server
            connections = HTTPLoad(port: server.port, connections: ServiceSubject.connections, expecting: expected)
        }

        /// Processor time of the server for each request, in seconds.
        func time(_ requests: [[[UInt8]]], rate: Double? = nil) -> Double {
            let time = server.time { _ = connections.run(requests, rate: rate) }
            return time / Double(requests.reduce(0) { $0 + $1.count })
        }
    }
}
