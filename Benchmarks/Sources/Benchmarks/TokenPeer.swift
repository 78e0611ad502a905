import Foundation

/// Other implementations that verify the same tokens, in a process of their own: Benchmarks/Peers/tokens.py, with the
/// Python of the variable `ASSAY_PEERS`, or else the one that Scripts/install-peers has made.
final class TokenPeer {
    enum Library: String, CaseIterable {
        case pyjwt
        case joserfc
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private struct Subject: Encodable {
        let secret: Data
        let tokens: [String]
    }

    private struct Order: Encodable {
        let library: String
        let count: Int
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(secret: [UInt8], tokens: [String]) throws {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
            .standardizedFileURL
        // The link itself, since what it leads to does not know the environment that it stands in.
        let installed = package.deletingLastPathComponent().path + "/.build/peers/bin/python"
        let python = ProcessInfo.processInfo.environment["ASSAY_PEERS"].flatMap { $0.isEmpty ? nil : $0 } ?? installed
        guard FileManager.default.isExecutableFile(atPath: python) else {
            throw Failure(
                description: "no Python at \(python): run Scripts/install-peers, or set ASSAY_PEERS to what it prints")
        }
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments = [package.appendingPathComponent("Peers/tokens.py").path]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try send(Subject(secret: Data(secret), tokens: tokens))
    }

    deinit {
        // The program ends with its input.
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// The seconds of processor time that a library takes for a number of tokens.
    func time(_ library: Library, count: Int) throws -> Double {
        try send(Order(library: library.rawValue, count: count))
        var line = Data()
        while line.last != 0x0A {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Failure(description: "\(library.rawValue) gave no answer") }
            line += more
        }
        return try JSONDecoder().decode(Double.self, from: line)
    }

    private func send(_ value: some Encodable) throws {
        try input.fileHandleForWriting.write(contentsOf: JSONEncoder().encode(value) + [0x0A])
    }
}
