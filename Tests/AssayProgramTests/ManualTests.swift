import AssayTestSupport
import Foundation
import Testing

@Suite("Manual pages")
struct ManualTests {
    /// The needed fields of `assay --experimental-dump-help`.
    private struct Tool: Decodable { let command: Command }

    private struct Command: Decodable {
        let commandName: String
        let arguments: [Argument]?
        let subcommands: [Command]?

        /// The pages of this command and its subcommands.
        func pages(below path: [String] = []) -> [(path: [String], command: Command)] {
            let path = path + [commandName]
            return [(path, self)]
                + (subcommands ?? []).filter { $0.commandName != "help" }.flatMap { $0.pages(below: path) }
        }
    }

    private struct Argument: Decodable {
        struct Name: Decodable { let kind, name: String }
        let names: [Name]?
        let shouldDisplay: Bool
    }

    private static let scripts = TestVectors.folder.deletingLastPathComponent().appendingPathComponent("Scripts").path
    private static func isInstalled(_ programs: String...) -> Bool {
        programs.allSatisfy { FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }
    }

    @Test(
        "Each command has a page with every section and option, which groff reads without a warning",
        .enabled(if: isInstalled("python3", "groff"), "python3 or groff is not installed"))
    func pages() throws {
        let scratch = try Scratch()
        let made = try scratch.shell("'\(Self.scripts)/manual' \"$ASSAY\" pages")
        #expect(made.status == 0, "\(made.errors)")
        let help = try scratch.assay("--experimental-dump-help")
        let expected = try JSONDecoder().decode(Tool.self, from: Data(help.output.utf8)).command.pages()
        let found = try FileManager.default.contentsOfDirectory(atPath: scratch.path("pages"))
        #expect(Set(found) == Set(expected.map { $0.path.joined(separator: "-") + ".1" }))
        for (path, command) in expected {
            let name = path.joined(separator: "-")
            let read = try scratch.shell("groff -man -ww -Tascii -P-c -P-b -P-u pages/\(name).1")
            #expect(read.status == 0 && read.errors.isEmpty, "\(name): \(read.errors)")
            for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS"] {
                #expect(read.lines.contains { $0 == section }, "\(name) has no \(section)")
            }
            #expect(read.lines.contains("SEE ALSO") || path.count == 1 || command.subcommands != nil, "\(name)")
            #expect(read.lines.contains { $0.hasPrefix("       \(name) - ") }, "\(name)")
            #expect(read.lines.contains { $0.hasPrefix("       \(path.joined(separator: " ")) ") }, "\(name)")
            for option in (command.arguments ?? []).filter(\.shouldDisplay).flatMap({ $0.names ?? [] }) {
                let text = (option.kind == "long" ? "--" : "-") + option.name
                let isListed = read.lines.contains { line in
                    line.hasPrefix("       -")
                        && line.split(whereSeparator: { " ,".contains($0) }).contains { $0 == text }
                }
                #expect(isListed, "\(name) does not list \(text)")
            }
            for sub in (command.subcommands ?? []) where sub.commandName != "help" {
                #expect(read.lines.contains { $0.hasPrefix("       \(name)-\(sub.commandName)(1)") }, "\(name)")
            }
        }
    }

    @Test(
        "Installing and removing affects our pages below the prefix, including those of former commands, and no others",
        .enabled(if: isInstalled("python3"), "python3 is not installed"))
    func installation() throws {
        let scratch = try Scratch()
        let prefix = scratch.path("staging/usr local")
        let run = try scratch.shell("'\(Self.scripts)/install' \"$ASSAY\" '\(prefix)'")
        #expect(run.status == 0, "\(run.errors)")
        let pages = "staging/usr local/share/man/man1"
        #expect(scratch.exists("\(pages)/assay.1") && scratch.exists("\(pages)/assay-ledger-show.1"))
        let others = try scratch.shell(
            "cd '\(pages)' && cp assay.1 assay-former.1 && printf '.TH OTHER 1\\n' >assay-other.1")
        #expect(others.status == 0)
        let again = try scratch.shell("'\(Self.scripts)/install' \"$ASSAY\" '\(prefix)'")
        #expect(again.status == 0 && !scratch.exists("\(pages)/assay-former.1"), "\(again.errors)")
        let removed = try scratch.shell("'\(Self.scripts)/install' --remove '\(prefix)'; find staging -type f")
        #expect(removed.lines == ["\(pages)/assay-other.1"], "\(removed.output)")
    }
}
