import AssayTestSupport
import Foundation
import Testing

@Suite("Example programs")
struct ExampleTests {
    /// A configuration that an example cannot use.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let program: String
        /// The script that prepares the folder of the program.
        let prepare: String
        /// What the line of the error contains.
        let words: String
        var testDescription: String { "\(program): \(prepare)" }
    }

    private static let sources = ["FirstTenMinutes": "first-ten-minutes", "HummingbirdExample": "hummingbird"]

    static let mistakes =
        sources.keys.sorted().flatMap { program in
            [
                ("rm policy.yaml", "policy.yaml"), (": >policy.yaml", "policy.yaml"),
                ("echo 'version: [' >policy.yaml", "policy.yaml"),
                ("sed -i 's/^apps:/applications:/' policy.yaml", "policy.yaml:"),
                ("printf 'version: 1\\napps: []\\n' >policy.yaml", "apps"), ("mkdir ledger.sqlite", "ledger.sqlite"),
                ("echo 'no ledger, but a text of some length' >ledger.sqlite", "ledger.sqlite"),
            ].map { Mistake(program: program, prepare: $0.0, words: $0.1) }
        } + [
            Mistake(program: "HummingbirdExample", prepare: "unset APPROOV_SECRET", words: "APPROOV_SECRET"),
            Mistake(program: "HummingbirdExample", prepare: "export APPROOV_SECRET='?'", words: "keys[0].secret"),
            Mistake(
                program: "HummingbirdExample", prepare: "sed -i 's/annotate .*/maybe/' policy.yaml",
                words: "enforcement"),
        ]

    @Test("An example ends with one line about a configuration that it cannot use", arguments: mistakes)
    func mistake(_ each: Mistake) throws {
        let folder = try TestFolder()
        let source = try #require(Self.sources[each.program])
        try FileManager.default.copyItem(
            at: Page.root.appendingPathComponent("Examples/\(source)/policy.yaml"),
            to: folder.url.appendingPathComponent("policy.yaml"))
        let program = try BuiltProducts.url(each.program).path
        let secret = Data(repeating: 7, count: 64).base64EncodedString()
        let status = try folder.shell(
            "export APPROOV_SECRET=\(secret); \(each.prepare); exec '\(program)' >output 2>errors </dev/null")
        let errors = try String(contentsOfFile: folder.path("errors"), encoding: .utf8)
        #expect(status == 1, "\(errors)")
        #expect(errors.hasPrefix("error: ") && errors.split(separator: "\n").count == 1, "\(errors)")
        #expect(errors.contains(each.words), "\(errors)")
        #expect(!errors.contains(secret))
    }
}
