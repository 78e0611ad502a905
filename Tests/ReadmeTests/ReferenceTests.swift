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
        try folder.write("test-root.pem", TestAuthority(notBefore: Date(timeIntervalSince1970: 1_700_000_000)).rootPEM)
        try folder.shell("chmod 600 *.b64")
        return folder
    }

    @Test("Every policy can be read", arguments: Page.all.filter { !$0.blocks("yaml").isEmpty })
    func policies(_ page: Page) throws {
        let folder = try Self.policyFolder()
        for block in page.blocks("yaml") {
            let path = try folder.write("policy.yaml", block.text)
            do {
                _ = try PolicyFile.load(path: path)
            } catch {
                Issue.record("\(page.path):\(block.line): \(error)")
            }
        }
    }

    /// The fields that a mapping of the policy may have, as the error on an unknown one lists them.
    private static func fields(of policy: String) throws -> Set<String> {
        let folder = try policyFolder()
        let path = try folder.write("policy.yaml", policy)
        let error = #expect(throws: PolicyError.self) { try PolicyFile.load(path: path) }
        let list = try #require(error?.message.components(separatedBy: "allowed are ").last)
        return Set(list.components(separatedBy: ", "))
    }

    @Test(
        "The tables have a row for every field, and no other",
        arguments: [
            ("appAttest", "{ unknown: 1 }"), ("playIntegrity", "{ unknown: 1 }"), ("approov", "{ unknown: 1 }"),
            (
                "appAttest.receipt",
                "{ appIDs: [1234567890.a.b], environments: [production], challenge: caller, clientData: none, receipt: { unknown: 1 } }"
            ), ("approov.messageSigning", "{ messageSigning: { unknown: 1 } }"),
        ])
    func policyFields(_ field: String, _ configuration: String) throws {
        let parts = field.split(separator: ".").map(String.init)
        let allowed = try Self.fields(
            of: "version: 1\napps:\n  - name: app\n    \(parts[0]): \(configuration)\n")
        let sections = try Self.policyPage().text.components(separatedBy: "| field of `\(parts[0])` |")
        let section = try #require(sections.count == 2 ? sections[1] : nil)
        let names = section.components(separatedBy: "\n\n")[0].matches(of: /(?m)^\| `([\w.]+)` \|/)
            .map { $0.1.split(separator: ".").map(String.init) }
        let documented = names.compactMap { name in
            parts.count == 1 ? name[0] : name.count == 2 && name[0] == parts[1] ? name[1] : nil
        }
        #expect(Set(documented) == allowed)
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
        let rows = page.text.matches(of: /(?m)^\| `([a-z-]+\.[a-z]+)` \|/).map { String($0.1) }
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
