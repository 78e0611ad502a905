import AssayFuzzTargets
import Foundation

/// A folder `corpus/` of a target's seeds, and its `dictionary` in libFuzzer's form.
struct SeedFolder {
    let path: String

    func write(_ target: FuzzTarget) throws {
        let folder = URL(fileURLWithPath: path)
        let corpus = folder.appendingPathComponent("corpus")
        try FileManager.default.createDirectory(at: corpus, withIntermediateDirectories: true)
        for (index, seed) in try target.seeds().enumerated() {
            try Data(seed).write(to: corpus.appendingPathComponent("seed-\(index)"))
        }
        let words = target.dictionary.map { "\"\(escaped($0))\"\n" }.joined()
        try Data(words.utf8).write(to: folder.appendingPathComponent("dictionary"))
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
