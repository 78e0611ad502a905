import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayVectors
import Foundation
import Testing

/// Every code of every check is declared in the catalogue, and a vector or a test produces it.
struct CheckCodeTests {
    private static let root = TestVectors.folder.deletingLastPathComponent()
    /// The codes that decoders, keys, certificate paths and signature bases share: checks declare them as a family.
    private static let families = Set(
        CheckCode.ofDecoding + CheckCode.ofSignature + CheckCode.ofDecryption + CheckCode.ofPath
            + CheckCode.ofSignatureBase)

    /// A check and a code of it.
    private struct Use: Hashable, Comparable, CustomStringConvertible {
        let check: String
        let code: String

        var description: String { "\(check) \(code)" }

        static func < (lhs: Use, rhs: Use) -> Bool { lhs.description < rhs.description }
    }

    @Test("the names, kinds and codes of all checks are those of TestVectors/checks.txt, in its order")
    func names() throws {
        let committed = try String(contentsOf: TestVectors.folder.appendingPathComponent("checks.txt"), encoding: .utf8)
        #expect(CheckTable.text == committed, "run `make vectors`; names are never changed")
    }

    @Test("a code is in the catalogue if and only if the sources construct it")
    func constructed() throws {
        let constructed = try Self.texts("Sources").flatMap { text in
            text.matches(of: /\b(?:Check|Error)Code\(\s*"([^"]*)"/).map { String($0.1) }
        }
        let declared = Set(Verifier.catalogue.flatMap(\.codes))
        #expect(Set(constructed) == Set(declared.map(\.name)))
        // Several constants have the same name and a meaning of their own.
        #expect(constructed.count == declared.count)
    }

    @Test("each check is explained and has codes, each of its own, which are in kebab case and explained by a sentence")
    func form() {
        for check in Verifier.catalogue {
            for text in [check.proves, check.stops, check.lookAt] { #expect(text.count > 10, "\(check.id)") }
            #expect(!check.source.isEmpty, "\(check.id)")
            #expect(!check.codes.isEmpty, "\(check.id)")
            #expect(Set(check.codes.map(\.name)).count == check.codes.count, "\(check.id)")
            for code in check.codes {
                #expect(code.name.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil, "\(code)")
                #expect(code.meaning.count > 30 && code.meaning.hasSuffix("."), "\(code)")
            }
        }
    }

    @Test("a minted vector or a marked test produces every code of every check, and no check a code that it lacks")
    func produced() async throws {
        let produced = try await Self.producedByVectors()
        var (declared, ofFamilies): (Set<Use>, Set<String>) = ([], [])
        var own: Set<Use> = []
        for check in Verifier.catalogue {
            for code in check.codes {
                let use = Use(check: check.id.name, code: code.name)
                declared.insert(use)
                if Self.families.contains(code) { ofFamilies.insert(code.name) } else { own.insert(use) }
            }
        }
        #expect(produced.subtracting(declared).sorted() == [])

        var (marked, ofMarked): (Set<Use>, Set<String>) = ([], [])
        for text in try Self.texts("Tests") {
            for match in text.matches(of: /\.produces(OfFamily)?\(([^)]*)\)/) {
                let words = match.2.matches(of: /"([^"]*)"/).map { String($0.1) }
                if match.1 != nil {
                    ofMarked.formUnion(words)
                } else {
                    marked.formUnion(words.dropFirst().map { Use(check: words[0], code: $0) })
                }
            }
        }
        #expect(own.subtracting(produced).subtracting(marked).sorted() == [], "no vector, no test")
        #expect(marked.intersection(produced).sorted() == [], "a vector has it: remove the mark")
        #expect(marked.subtracting(own).sorted() == [], "not declared")

        let inVectors = Set(produced.map(\.code))
        // OpenSSL's other reasons: no input is known that gives one.
        #expect(ofFamilies.subtracting(inVectors).subtracting(ofMarked).sorted() == ["openssl"], "no vector, no test")
        #expect(ofMarked.intersection(inVectors).sorted() == [], "a vector has it: remove the mark")
    }

    /// The Swift files of a folder of the package.
    private static func texts(_ folder: String) throws -> [String] {
        let folder = root.appendingPathComponent(folder)
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
            .map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }
    }

    /// The codes that judging the committed vectors produces.
    private static func producedByVectors() async throws -> Set<Use> {
        var produced: Set<Use> = []
        for set in VectorSets.all {
            let vectors = try MintedVectors.committed(set.name)
            for verdict in try await vectors.verdicts() {
                for result in verdict.checks {
                    if let code = result.finding?.code { produced.insert(Use(check: result.check.name, code: code)) }
                }
            }
        }
        return produced
    }
}
