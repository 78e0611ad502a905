import Assay
import AssayCore
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// The reference pages say what the code does.
@Suite("Reference pages")
struct ReferenceTests {
    private static func page(_ path: String) throws -> Page { try #require(Page.all.first { $0.path == path }) }

    private static func policyPage() throws -> Page { try page("Sources/Assay/Documentation.docc/PolicyReference.md") }

    /// A folder with the files that the policies of the documentation name.
    private static func policyFolder() throws -> TestFolder {
        let folder = try TestFolder()
        let keys = PlayIntegrityTestKeys()
        let account = try ApproovTestKeys()
        try folder.write("d.b64", keys.decryptionKeyFile)
        try folder.write("v.b64", keys.verificationKeyFile)
        try folder.write("secret.b64", account.secretFile)
        try folder.write("account.b64", account.secretFile)
        let root = try TestAuthority(notBefore: Date(timeIntervalSince1970: 1_700_000_000)).rootPEM
        for name in ["test-root.pem", "device-root.pem"] { try folder.write(name, root) }
        try folder.shell("chmod 600 *.b64")
        return folder
    }

    @Test("Every policy can be read", arguments: Page.all.filter { !$0.blocks("yaml").isEmpty })
    func policies(_ page: Page) throws {
        let folder = try Self.policyFolder()
        for block in page.blocks("yaml") where block.isPolicy {
            let path = try folder.write("policy.yaml", block.text)
            do {
                _ = try PolicyFile.load(path: path)
            } catch {
                Issue.record("\(page.path):\(block.line): \(error)")
            }
        }
    }

    /// The declared fields of a section: those at the top, and those inside a mapping with rows of its own.
    private static func declaredFields(
        of section: any ReadableConfiguration.Type, _ rows: Set<String>
    ) -> Set<String> {
        let paths = section.fields.map(\.path)
        let parents = Set(rows.compactMap { $0.split(separator: ".").count > 1 ? $0.split(separator: ".")[0] : nil })
        return Set(
            paths.filter { path in
                let parts = path.split(separator: ".")
                return parts.count == 1
                    ? !parents.contains(parts[0])
                    : parents.contains(parts[0])
                        && parts.count == 2
            })
    }

    @Test(
        "Each section's table has a row for every declared field, and no other",
        arguments: EngineRegistry.standard.configurations.indices)
    func policyFields(_ index: Int) throws {
        let section = EngineRegistry.standard.configurations[index]
        let field = section.policyField
        let tables = try Self.policyPage().text.components(separatedBy: "| field of `\(field)` |")
        let table = try #require(tables.count == 2 ? tables[1] : nil, "no table of \(field)")
        let rows = Set(
            table.components(separatedBy: "\n\n")[0].matches(of: /(?m)^\| `([\w.]+)` \|/).map { String($0.1) })
        #expect(rows == Self.declaredFields(of: section, rows), "\(field)")
    }

    @Test("The checks that are annotated by default are named")
    func defaults() throws {
        let text = try Self.policyPage().prose
        for check in Verifier.catalogue where check.kind == .policy(default: .annotate) || check.kind == .signal {
            let last = check.id.name.split(separator: ".").last ?? ""
            #expect(text.contains("`\(check.id.name)`") || text.contains("`.\(last)`"), "\(check.id)")
        }
    }

    @Test("The table of records has every kind")
    func kinds() throws {
        let page = try Self.page("Sources/Assay/Documentation.docc/EvidenceRecords.md")
        let table = page.text.components(separatedBy: "| kind | evidence |").last?.components(separatedBy: "\n\n").first
        let rows = try #require(table).matches(of: /(?m)^\| `([a-z.-]+)` \|/).map { String($0.1) }
        #expect(Set(rows) == Set(Verifier.kinds.map(\.name)))
    }

    @Test("Links to files lead somewhere", arguments: Page.all)
    func links(_ page: Page) throws {
        let folder = Page.root.appendingPathComponent(page.path).deletingLastPathComponent()
        for link in page.prose.matches(of: /\]\(([^)#:]+)(#[^)]*)?\)/) {
            let url = folder.appendingPathComponent(String(link.1))
            #expect(FileManager.default.fileExists(atPath: url.path(percentEncoded: false)), "\(page.path): \(link.1)")
        }
    }

    @Test("The README has at most 200 lines")
    func length() throws {
        #expect(try Self.page("README.md").text.split(separator: "\n", omittingEmptySubsequences: false).count <= 201)
    }
}
