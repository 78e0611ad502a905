import ArgumentParser
import Foundation

/// Completes values that begin with a scheme: `sqlite:PATH`, `file:PATH`.
enum ValueCompletion {
    /// The schemes that begin with a word, or for a word with a scheme of files, the files that its path may name.
    ///
    /// - Parameter word: the value up to the cursor.
    static func words(for word: String, among schemes: [String]) -> [String] {
        guard let scheme = ["sqlite:", "file:"].first(where: { word.hasPrefix($0) && schemes.contains($0) }) else {
            return schemes.filter { $0.hasPrefix(word) }
        }
        let path = word.dropFirst(scheme.count)
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let name = path.dropFirst(folder.count)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
        return names.filter { $0.hasPrefix(name) && (!$0.hasPrefix(".") || name.hasPrefix(".")) }.sorted().map { name in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: folder + name, isDirectory: &isFolder)
            return scheme + folder + name + (isFolder.boolValue ? "/" : "")
        }
    }
}

extension CompletionKind {
    static let ledger = values("memory:", "sqlite:", "postgresql://")
    /// A ledger that outlives the command.
    static let durableLedger = values("sqlite:", "postgresql://")
    /// The source of a secret.
    static let source = values("file:", "env:")
    /// A value with or without a prefix.
    static let value = values("text:", "hex:", "base64:", "file:")

    private static func values(_ schemes: String...) -> CompletionKind {
        .custom { _, _, word in
            let words = ValueCompletion.words(for: word, among: schemes)
            // zsh shows what follows a colon as the description of a word.
            return CompletionShell.requesting == .zsh ? words.map { $0.replacing(":", with: "\\:") } : words
        }
    }
}
