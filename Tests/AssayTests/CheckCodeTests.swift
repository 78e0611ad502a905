import Assay
import AssayTestSupport
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

    @Test("a code is in the catalogue if and only if the sources construct it")
    func constructed() throws {
        var constructed: [String] = []
        let sources = Self.root.appendingPathComponent("Sources")
        for path in try FileManager.default.subpathsOfDirectory(atPath: sources.path) where path.hasSuffix(".swift") {
            let text = try String(contentsOf: sources.appendingPathComponent(path), encoding: .utf8)
            constructed += text.matches(of: /\bCheckCode\(\s*"([^"]*)"/).map { String($0.1) }
        }
        let declared = Set(Verifier.catalogue.flatMap(\.codes))
        #expect(Set(constructed) == Set(declared.map(\.name)))
        // Several constants have the same name and a meaning of their own.
        #expect(constructed.count == declared.count)
    }

    @Test("each check has codes, each of its own, which are in kebab case and explained by a sentence")
    func form() {
        for check in Verifier.catalogue {
            #expect(!check.codes.isEmpty, "\(check.id)")
            #expect(Set(check.codes.map(\.name)).count == check.codes.count, "\(check.id)")
            for code in check.codes {
                #expect(code.name.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil, "\(code)")
                #expect(code.meaning.count > 30 && code.meaning.hasSuffix("."), "\(code)")
            }
        }
    }

    @Test("a minted vector or a listed test produces every code of every check, and no check a code that it lacks")
    func produced() async throws {
        let produced = try await Self.producedByVectors()
        let declared = Set(
            Verifier.catalogue.flatMap { check in check.codes.map { Use(check: check.id.name, code: $0.name) } })
        #expect(produced.subtracting(declared).sorted() == [])

        let familyNames = Set(Self.families.map(\.name))
        let own = Set(
            Verifier.catalogue.flatMap { check in
                check.codes.filter { !Self.families.contains($0) }.map { Use(check: check.id.name, code: $0.name) }
            })
        let codesOfVectors = Set(produced.map(\.code))
        #expect(own.subtracting(produced).sorted() == [])
        #expect(familyNames.subtracting(codesOfVectors).sorted() == [])
    }

    /// The codes that judging the committed vectors produces.
    private static func producedByVectors() async throws -> Set<Use> {
        var produced: Set<Use> = []
        for engine in ["app-attest", "approov", "play-integrity"] {
            let vectors = try MintedVectors.committed(engine)
            for verdict in try await vectors.verdicts() {
                for result in verdict.checks {
                    if let code = result.finding?.code { produced.insert(Use(check: result.check.name, code: code)) }
                }
            }
        }
        return produced
    }
}
