import Foundation
import Testing

/// The README's code is compiled as it is printed.
@Suite("The README's code", .timeLimit(.minutes(20)))
struct ReadmeTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../..", isDirectory: true).standardizedFileURL

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    private static let blocks: [String] = {
        guard let readme = try? text("README.md") else { return [] }
        return readme.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
    }()

    /// A block without what may differ between a page and a source file: spaces, and imports, which stand at the top.
    private static func bare(_ code: String) -> String {
        code.split(separator: "\n").filter { !$0.hasPrefix("import ") }.joined().filter { !$0.isWhitespace }
    }

    private static func imports(_ code: String) -> [Substring] {
        code.split(separator: "\n").filter { $0.hasPrefix("import ") }.map { $0.split(separator: " ")[1] }
    }

    @Test("Every block of Swift stands in a source file that is compiled, word for word")
    func compiled() throws {
        #expect(Self.blocks.count >= 10)
        let sources = try ["Tests/ReadmeTests/ReadmeBlocks.swift", "Examples/hummingbird/Server.swift"]
            .map { try Self.text($0) }
        for block in Self.blocks where !block.hasPrefix(".package(") {
            let sources = sources.filter { source in
                Set(Self.imports(block)).isSubset(of: Self.imports(source))
                    && Self.bare(source).contains(Self.bare(block))
            }
            #expect(!sources.isEmpty, "copy this block of README.md to ReadmeBlocks.swift:\n\(block)")
        }
    }

    @Test("The line for a manifest names the products that there are, but those that are not for users")
    func products() throws {
        let manifest = try Self.text("Package.swift")
        let names = manifest.matches(of: /\.library\(name: "(\w+)"/).map { String($0.1) }.filter { !$0.hasPrefix("_") }
        let line = try #require(Self.blocks.first { $0.hasPrefix(".package(") })
        let listed = try #require(line.components(separatedBy: "products: ").last)
        #expect(Set(listed.matches(of: /\w+/).map { String($0.0) }) == Set(names))
    }
}
