import Foundation
import FuzzTargets

/// A folder with a target's seeds in `corpus/`, and its `dictionary` in libFuzzer's format.
struct SeedFolder {
    let path: String

    /// Writes both. Prints the name of each seed before it runs: if a seed is refused or breaks a rule, the process
    /// ends, and the last printed name is that of the seed.
    func write(_ target: FuzzTarget) throws {
        let folder = URL(fileURLWithPath: path)
        let corpus = folder.appendingPathComponent("corpus")
        try FileManager.default.createDirectory(at: corpus, withIntermediateDirectories: true)
        let seeds = try target.seeds()
        guard !seeds.isEmpty else { throw Problem("there are no seeds") }
        var refused: [String] = []
        for (index, seed) in seeds.enumerated() {
            let name = "seed-\(index)"
            FileHandle.standardOutput.write(Data("\(name)\n".utf8))
            try Data(seed).write(to: corpus.appendingPathComponent(name))
            guard seed.count <= target.maximumLength else { throw Problem("a seed has \(seed.count) bytes") }
            if !target.run(seed) { refused.append(name) }
        }
        guard refused.isEmpty else { throw Problem("refused: \(refused.joined(separator: ", "))") }
        let words = target.dictionary.map { "\"\(escaped($0))\"\n" }.joined()
        try Data(words.utf8).write(to: folder.appendingPathComponent("dictionary"))
    }

    private struct Problem: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// https://llvm.org/docs/LibFuzzer.html#dictionaries: backslash and quotation mark escaped, other bytes as \xAB.
    private func escaped(_ word: String) -> String {
        word.utf8.map { byte in
            switch byte {
            case 0x22, 0x5C: "\\" + String(UnicodeScalar(byte))
            case 0x20...0x7E: String(UnicodeScalar(byte))
            default: String(format: "\\x%02X", byte)
            }
        }.joined()
    }
}
