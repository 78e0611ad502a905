import AssayTestSupport
import Foundation
import Testing

@Suite("Contending and killed processes", .timeLimit(.minutes(20)))
struct SoakTests {
    /// `make soak` runs the same for minutes.
    @Test("Within seconds: no acknowledged commit is lost, none is accepted twice, no counter decreases")
    func soak() throws {
        let run = try ProgramRun(BuiltProducts.url("LedgerSoak").path, ["6", "2", "4"])
        let text = run.output
        #expect(run.status == 0, "\(run.text)")
        let rows = text.split(separator: "\n").map { $0.split(separator: " ") }
        try #require(rows.count == 3 && rows[0].prefix(3) == ["processes", "commits", "kills"], "\(text)")
        for row in rows.dropFirst() {
            let numbers = row.compactMap { Int($0) }
            try #require(numbers.count == 7)
            #expect(numbers[1] > 0 && numbers[2] >= numbers[0] && numbers[6] == 0, "\(text)")
        }
    }
}
