import Foundation

/// Implementations in Python, which do the same jobs with the same evidence, in a process of their own:
/// Benchmarks/Peers/peers.py, with the Python of the variable `ASSAY_PEERS`, or else the one that Scripts/install-peers
/// has made for benchmarks.
actor PeerProcess {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private struct Order<Subject: Encodable>: Encodable {
        let op: String
        let job: String
        let library: String
        var subject: Subject?
        var count: Int?
    }

    private struct Answer<Result: Decodable>: Decodable {
        let result: Result?
        let error: String?
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// The Python of the peers. The link itself, since what it leads to does not know the environment that it stands in.
    static let python = URL(
        fileURLWithPath: ProcessInfo.processInfo.environment["ASSAY_PEERS"].flatMap { $0.isEmpty ? nil : $0 }
            ?? Places.root.path + "/.build/benchmark-peers/bin/python")

    init() throws {
        guard FileManager.default.isExecutableFile(atPath: Self.python.path) else {
            throw Failure(
                description:
                    "no Python at \(Self.python.path): run `Scripts/install-peers benchmarks`, or set ASSAY_PEERS"
            )
        }
        process.executableURL = Self.python
        process.arguments = [Places.package.appendingPathComponent("Peers/peers.py").path]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        // The program ends with its input.
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// The names and versions of all libraries that take part, and of Python.
    func versions() throws -> [(name: String, value: String)] {
        let pairs: [[String]] = try ask(Order<String>(op: "versions", job: "", library: ""))
        return pairs.map { ($0.first ?? "", $0.last ?? "") }
    }

    /// Hands evidence to a library and returns whether it accepts all of it, or why not. What it was handed last is what
    /// is timed.
    /// - Parameter subject: the evidence and what it is held against, as the job wants them; `Data` becomes base64.
    func refusal(of subject: some Encodable, job: String, by library: String) throws -> String? {
        let answer: String = try ask(Order(op: "prepare", job: job, library: library, subject: subject))
        return answer.isEmpty ? nil : answer
    }

    /// The seconds of processor time that a library takes for doing a job a number of times.
    func time(_ job: String, by library: String, count: Int) throws -> Double {
        try ask(Order<String>(op: "time", job: job, library: library, count: count))
    }

    private func ask<Result: Decodable>(_ order: some Encodable) throws -> Result {
        try input.fileHandleForWriting.write(contentsOf: JSONEncoder().encode(order) + [0x0A])
        var line = Data()
        while line.last != 0x0A {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Failure(description: "peers.py has ended without an answer") }
            line += more
        }
        let answer = try JSONDecoder().decode(Answer<Result>.self, from: line)
        guard let result = answer.result else { throw Failure(description: answer.error ?? "peers.py gave no answer") }
        return result
    }
}

extension PeerProcess {
    /// A library as a contender, after it has shown that it accepts the evidence.
    func contender(_ name: String, _ library: String, job: String, subject: some Encodable) throws -> Contender {
        if let refusal = try refusal(of: subject, job: job, by: library) {
            throw Failure(description: "\(name) refuses the evidence: \(refusal)")
        }
        return Contender(name: name) { count in try await self.time(job, by: library, count: count) }
    }
}
