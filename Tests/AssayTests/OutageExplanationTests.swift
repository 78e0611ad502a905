import AssayCore
import Foundation
import Testing

/// An operator finds the code of each outage explained.
@Suite("Explanations of outages")
struct OutageExplanationTests {
    private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "../../Sources"
    ).standardizedFileURL

    /// The text of all sources but that of the explanations.
    private static func texts() throws -> [String] {
        let paths = try #require(FileManager.default.subpaths(atPath: sources.path))
        return try paths.filter { $0.hasSuffix(".swift") && !$0.hasSuffix("OutageExplanation.swift") }.map {
            try String(contentsOf: sources.appendingPathComponent($0), encoding: .utf8)
        }
    }

    @Test("Every code that the sources declare is explained, and no other")
    func codes() throws {
        var declared: Set<String> = []
        for text in try Self.texts() {
            declared.formUnion(text.matches(of: /OutageCode = "([a-z-]+)"/).map { String($0.1) })
            // None is made up where it is thrown.
            #expect(text.matches(of: /Outage\(\s*"/).isEmpty)
        }
        let explained = OutageExplanation.all.map(\.code.name)
        #expect(declared.count > 25)
        #expect(Set(explained) == declared)
        #expect(Set(explained).count == explained.count)
    }

    @Test("The parts are those of the types of outages, and each explanation is a sentence")
    func parts() throws {
        var declared: Set<String> = []
        for text in try Self.texts() {
            for type in text.matches(of: /struct \w+Outage: Outage[^{]*\{[^}]*static let part = "([^"]+)"/) {
                declared.insert(String(type.1))
            }
        }
        #expect(declared.count == 6, "\(declared)")
        #expect(Set(OutageExplanation.all.flatMap(\.parts)) == declared)
        for explanation in OutageExplanation.all {
            #expect(explanation.meaning.hasSuffix(".") && explanation.meaning.count > 30, "\(explanation.code)")
            #expect(OutageExplanation.of(explanation.code.name)?.meaning == explanation.meaning)
        }
        #expect(OutageExplanation.of("no-such-code") == nil)
    }
}
