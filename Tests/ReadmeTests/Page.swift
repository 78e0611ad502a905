import Foundation
import Testing

/// A Markdown page of the documentation, with its fenced blocks.
struct Page: Sendable, CustomTestStringConvertible {
    /// A fenced block.
    struct Block: Sendable {
        /// The word after the fence, such as `swift`.
        let language: String
        /// The line of the page on which the block's text begins.
        let line: Int
        let text: String

        /// Whether it is a policy, which begins with its version.
        var isPolicy: Bool { language == "yaml" && text.contains(/(?m)^version: 1$/) }
    }

    /// The folder of the repository.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../..", isDirectory: true).standardizedFileURL

    /// The README, and every page of `Docs` and of the DocC catalogues, sorted by path.
    static let all: [Page] = {
        let names =
            (try? FileManager.default.subpathsOfDirectory(atPath: root.path(percentEncoded: false) + "Sources"))
            .map { $0.filter { $0.contains(".docc/") }.map { "Sources/\($0)" } } ?? []
        let docs =
            (try? FileManager.default.subpathsOfDirectory(atPath: root.path(percentEncoded: false) + "Docs"))
            .map { $0.map { "Docs/\($0)" } } ?? []
        let top = ["README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"]
        return (top + docs + names).filter { $0.hasSuffix(".md") }.sorted().compactMap { try? Page(path: $0) }
    }()

    /// The path from the root of the repository.
    let path: String
    let text: String
    let blocks: [Block]

    var testDescription: String { path }

    init(path: String) throws {
        self.path = path
        text = try String(contentsOf: Page.root.appendingPathComponent(path), encoding: .utf8)
        blocks = Page.blocks(of: text)
    }

    func blocks(_ language: String) -> [Block] { blocks.filter { $0.language == language } }

    /// The text of the page outside of fenced blocks.
    var prose: String {
        text.components(separatedBy: "```").enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element).joined()
    }

    /// The first column of every table row, without backticks.
    var rows: [[String]] {
        text.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { row in
            row.replacing("\\|", with: "\u{0}").split(separator: "|").map {
                $0.trimmingCharacters(in: .whitespaces).replacing("\u{0}", with: "|")
            }
        }
    }

    private static func blocks(of text: String) -> [Block] {
        var blocks: [Block] = []
        var open: (language: String, line: Int, text: [Substring])?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if let block = open {
                if line == "```" {
                    let text = block.text.joined(separator: "\n") + "\n"
                    blocks.append(Block(language: block.language, line: block.line, text: text))
                    open = nil
                } else {
                    open?.text.append(line)
                }
            } else if line.hasPrefix("```") {
                open = (String(line.dropFirst(3)), index + 2, [])
            }
        }
        return blocks
    }
}
