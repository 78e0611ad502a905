import AssayTestSupport
import Foundation
import Testing

@Suite("Keys that end", .timeLimit(.minutes(10)))
struct KeyEndTests {
    @Test("The log warns once of a key that ends within 14 days, and not of a later one")
    func warning() throws {
        let service = try RunningService(["masterKey=file:master.key"]) { folder in
            try folder.write("master.key", String(repeating: "5a", count: 32))
            try #require(chmod(folder.path("master.key"), 0o600) == 0)
            for (name, days) in [("soon", 3.0), ("later", 20.0)] {
                let end = Date(timeIntervalSinceNow: days * 86_400).formatted(.iso8601)
                let run = try ProgramRun(
                    BuiltProducts.url("assay").path,
                    [
                        "keys", "generate", name, "--use", "approov-issuer", "--not-after", end, "--ledger",
                        "sqlite:ledger.sqlite", "--master-key", "file:master.key",
                    ], in: folder.url, environment: ["HOME": folder.url.path])
                try #require(run.status == 0, "\(run.text)")
            }
        }
        try service.waitUntil("warning") { !service.entries("a key ends").isEmpty }
        let entries = service.entries("a key ends")
        #expect(entries.map { $0["assay.key"] as? String } == ["soon"])
        #expect((entries.first?["assay.problem"] as? String)?.contains("approov-issuer ends at") == true)
    }
}
