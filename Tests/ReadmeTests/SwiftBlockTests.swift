import Foundation
import ReadmeExamples
import Testing

/// The Swift code of the documentation is compiled as it is printed.
@Suite("Swift in the documentation")
struct SwiftBlockTests {
    private struct Source {
        let path: String
        let imports: Set<Substring>
        let code: String
    }

    /// The files that are compiled and in which blocks may be.
    private static let sources: [Source] = {
        var sources: [Source] = []
        let examples = ["hummingbird", "first-ten-minutes", "own-handlers"].map { "Examples/\($0)" }
        for folder in ["Tests/Support/ReadmeExamples", "Clients/apple/Tests/AssayClientTests"] + examples {
            let path = Page.root.appendingPathComponent(folder).path(percentEncoded: false)
            let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
            for name in names where name.hasSuffix(".swift") {
                guard let text = try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) else { continue }
                sources.append(Source(path: "\(folder)/\(name)", imports: imports(text), code: bare(text)))
            }
        }
        return sources
    }()

    /// Code without what may differ between a page and a source file: white space, and imports.
    private static func bare(_ code: String) -> String {
        code.split(separator: "\n").filter { !$0.hasPrefix("import ") }.joined().filter { !$0.isWhitespace }
    }

    private static func imports(_ code: String) -> Set<Substring> {
        Set(code.split(separator: "\n").filter { $0.hasPrefix("import ") }.map { $0.split(separator: " ")[1] })
    }

    /// Whether a block belongs to a package manifest, which ``manifests()`` tests.
    private static func isManifest(_ block: Page.Block) -> Bool {
        block.text.contains(".package(")
    }

    @Test(
        "Every block is in a file that is compiled with the imports that the page has shown so far",
        arguments: Page.all.filter { !$0.blocks("swift").isEmpty })
    func compiled(_ page: Page) {
        var shown: Set<Substring> = []
        for block in page.blocks("swift") where !Self.isManifest(block) {
            shown.formUnion(Self.imports(block.text))
            let files = Self.sources.filter { source in
                Self.imports(block.text).isSubset(of: source.imports) && source.code.contains(Self.bare(block.text))
            }
            let place: Comment = "\(page.path):\(block.line)"
            #expect(!files.isEmpty, "\(place): copy this block to a file of Tests/Support/ReadmeExamples")
            let missing = files.map { $0.imports.subtracting(shown).sorted() }.min { $0.count < $1.count } ?? []
            #expect(missing.isEmpty, "\(place): a reader needs to import \(missing.joined(separator: ", "))")
        }
    }

    @Test("The pages that have examples are found")
    func pages() {
        let paths = Page.all.filter { !$0.blocks("swift").isEmpty }.map(\.path)
        #expect(paths.contains("README.md"))
        #expect(paths.contains("Docs/first-ten-minutes.md"))
        #expect(paths.contains("Docs/errors-and-http.md"))
        #expect(paths.contains("Sources/Assay/Documentation.docc/VerifyingApproov.md"))
    }

    @Test("Lines for a manifest name products that exist, and the README names all of them")
    func manifests() throws {
        let manifest = try String(contentsOf: Page.root.appendingPathComponent("Package.swift"), encoding: .utf8)
        let products = Set(
            manifest.matches(of: /\.library\(\s*name: "(\w+)"/).map { String($0.1) }.filter { !$0.hasPrefix("_") })
        for page in Page.all {
            for block in page.blocks("swift") where Self.isManifest(block) {
                let named = block.text.matches(of: /\.product\(name: "(\w+)", package: "assay"/).map { String($0.1) }
                #expect(products.isSuperset(of: named), "\(page.path):\(block.line)")
            }
        }
        let readme = try #require(Page.all.first { $0.path == "README.md" })
        let line = try #require(readme.blocks("swift").first(where: Self.isManifest)).text
        let listed = try #require(line.components(separatedBy: "products: ").last)
        #expect(Set(listed.matches(of: /\w+/).map { String($0.0) }) == products)
    }
}
