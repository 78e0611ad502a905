import AssayService
import AssayTestSupport
import Foundation
import Testing
import Yams

/// No fence is without a check: each language has one, or is listed here with the reason why it has none.
@Suite("Fences of the documentation", .timeLimit(.minutes(10)))
struct FenceTests {
    /// Where the blocks of a language are checked.
    private static let elsewhere = [
        "swift": "SwiftBlockTests compiles them", "sh": "CommandTests executes them",
        "console": "CommandTests parses their commands", "mermaid": "`make lint` compares it with the targets",
    ]

    /// Blocks that no program of this repository reads, by page and language: how many there are, and why.
    private static let unchecked: [String: (count: Int, reason: String)] = [
        "Sources/Assay/Documentation.docc/VerifyingAndroidKeys.md kotlin": (1, "no compiler of Kotlin is at hand"),
        "Sources/Assay/Documentation.docc/SigningRequests.md text": (
            5, "SigningRequestsTests compares them with vectors"
        ),
        "Docs/scale.md text": (1, "what `make scale` prints"),
        "Docs/certificates.md text": (1, "the values that EvidenceRuleTests compute"),
    ]

    /// The kit for Android, and stubs of the system's classes.
    private static let kit = Page.root.appendingPathComponent("Clients/android").path

    /// Commands that check a file in a language without running it; `FILE` stands for it, and `KIT` for the kit for Android.
    private static let checkers: [String: (probe: String, command: String)] = [
        "python": ("python3 --version", "python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' FILE"),
        "js": ("node --version", "cp FILE block.mjs && node --check block.mjs"),
        "go": ("gofmt -h 2>/dev/null; [ $? -lt 126 ]", "gofmt -e FILE"),
        "java": (
            "java -XX:-UsePerfData --list-modules | grep jdk.compiler",
            "javac -J-XX:-UsePerfData -proc:none -implicit:none -sourcepath 'KIT/core:KIT/platform:KIT/stubs' -d . FILE"
        ),
    ]

    @Test("Every block is checked in its language, or listed as not checked", arguments: Page.all)
    func languages(_ page: Page) throws {
        var unchecked: [String: Int] = [:]
        for block in page.blocks where Self.elsewhere[block.language] == nil {
            let place: Comment = "\(page.path):\(block.line) \(block.language)"
            switch block.language {
            case "json":
                #expect(throws: Never.self, place) {
                    try JSONSerialization.jsonObject(with: Data(block.text.utf8), options: [.fragmentsAllowed])
                }
            case "yaml": try check(yaml: block, place)
            case "ini": check(unit: block, place)
            case let language where Self.checkers[language] != nil: try check(block, place)
            default: unchecked["\(page.path) \(block.language)", default: 0] += 1
            }
        }
        let listed = Self.unchecked.filter { $0.key.hasPrefix("\(page.path) ") }.mapValues(\.count)
        #expect(
            unchecked == listed, "\(page.path): give each fence a language with a check, or list it with its reason")
    }

    @Test("No page has a fence without a language, nor an open one", arguments: Page.all)
    func closed(_ page: Page) {
        for block in page.blocks { #expect(!block.language.isEmpty, "\(page.path):\(block.line)") }
        let marks = page.text.split(separator: "\n").count { $0.drop { $0 == " " }.hasPrefix("```") }
        #expect(
            marks == 2 * page.blocks.count, "\(page.path): a fence is not closed, or is indented and so not checked")
    }

    /// A policy is read by ReferenceTests, a configuration of the service here, another file as YAML alone.
    private func check(yaml block: Page.Block, _ place: Comment) throws {
        if block.isPolicy { return }
        let folder = try TestFolder()
        let path = try folder.write("serve.yaml", block.text)
        if block.text.contains(#/(?m)^policy: /#) {
            #expect(throws: Never.self, place) {
                try ServiceConfiguration(file: path, environment: [:], settings: [])
            }
        } else {
            #expect(throws: Never.self, place) { try Yams.load(yaml: block.text) }
        }
    }

    /// A file of systemd: sections, and lines NAME=VALUE.
    private func check(unit block: Page.Block, _ place: Comment) {
        var section: Substring?
        for line in block.text.split(separator: "\n") where !line.hasPrefix("#") {
            if let match = line.wholeMatch(of: /\[(\w+)\]/) {
                section = match.1
                #expect(["Unit", "Service", "Socket", "Install"].contains(match.1), place)
            } else {
                #expect(section != nil && line.contains(/^[A-Z][A-Za-z]+=\S/), "\(place): \(line)")
            }
        }
    }

    private func check(_ block: Page.Block, _ place: Comment) throws {
        guard let (probe, command) = Self.checkers[block.language] else { return }
        let folder = try TestFolder()
        guard try folder.shell("(\(probe)) >output 2>errors") == 0 else { return }
        try folder.write("Block.\(block.language)", block.text)
        let status = try folder.shell(
            command.replacing("FILE", with: "Block.\(block.language)").replacing("KIT", with: Self.kit)
                + " >output 2>errors")
        #expect(status == 0, "\(place): \((try? String(contentsOfFile: folder.path("errors"), encoding: .utf8)) ?? "")")
    }
}
