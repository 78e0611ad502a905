import Foundation
import Testing

/// The costs of Docs/which-way.md are those that `make instructions` has stored.
@Suite("Costs of the ways to verify a request")
struct WhichWayTests {
    private struct Instructions: Decodable {
        struct Path: Decodable {
            let own: Int
            let cryptography: Int
            var all: Double { Double(own + cryptography) }
        }

        let paths: [String: Path]
    }

    @Test("Each ratio is the instructions of its path, divided by those of a bare P-256 verification")
    func ratios() throws {
        let file = Page.root.appendingPathComponent("Benchmarks/instructions.json")
        let paths = try JSONDecoder().decode(Instructions.self, from: Data(contentsOf: file)).paths
        let bare = try #require(paths["p256-verification"]).all
        let page = try Page(path: "Docs/which-way.md")
        let rows = page.rows.filter { $0.count == 3 && $0[0].hasPrefix("`") }
        #expect(rows.count == 9)
        for row in rows {
            let path = try #require(paths[row[0].replacing("`", with: "")], "\(row)")
            let stated = try #require(Double(row[2]), "\(row)")
            // A change that `make instructions` allows must not fail here.
            #expect(abs(path.all / bare / stated - 1) < 0.05, "\(row): \(path.all / bare)")
        }
    }
}
