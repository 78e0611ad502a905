import ArgumentParser
import Assay
import AssayTesting
import Foundation

/// `assay mint app-attest`: writes the App Attest test vectors.
struct MintAppAttestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app-attest",
        abstract: "Writes App Attest test vectors: records with their expectations, policies, a test root.",
        discussion: """
            Each file of records is to be judged under the policy.yaml of its folder, as captured. Only those policies \
            trust the test root, and verdicts say so.
            """)

    @Option(
        help: ArgumentHelp("The folder, which must be empty or missing.", valueName: "folder"), completion: .directory)
    var output: String

    @Option(help: ArgumentHelp("Where the authority's keys come from; random without it.", valueName: "text"))
    var seed: String?

    @Option(
        help: ArgumentHelp("When the evidence is received (RFC 3339). (default: now)", valueName: "time"),
        transform: TimeArgument.time)
    var at: Date?

    @Flag(help: "Write into a folder that is not empty, over files of the same names.")
    var force = false

    func validate() throws {
        guard !output.isEmpty else { throw ValidationError("--output needs a folder") }
        guard seed != "" else { throw ValidationError("--seed needs a text") }
    }

    func run() throws {
        let folder = URL(fileURLWithPath: output, isDirectory: true)
        try demandEmpty(folder)
        // Within the range that the vectors demand of their authority, and on a whole second, as certificates have it.
        let time = Date(timeIntervalSince1970: (at ?? Date()).timeIntervalSince1970.rounded(.down))
        let files: [VectorFile]
        do {
            let authority = try TestAuthority(seed: seed, notBefore: time.addingTimeInterval(-400 * 86_400))
            files = try AppAttestVectors.files(authority: authority, at: time)
        } catch {
            throw CommandFailure(.output, "the test evidence cannot be minted: \(error)")
        }
        do {
            for file in files {
                let url = folder.appendingPathComponent(file.path)
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(file.contents.utf8).write(to: url)
            }
        } catch {
            throw CommandFailure(.output, "\(output) cannot be written to: \(error.localizedDescription)")
        }
        let terminal = Terminal(STDOUT_FILENO)
        try Console.print(terminal.printable("\(files.count) files in \(output), received at \(RFC3339.format(time))"))
    }

    private func demandEmpty(_ folder: URL) throws(CommandFailure) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder) else { return }
        guard isFolder.boolValue else { throw CommandFailure(.usage, "\(output) is no folder") }
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        } catch {
            throw CommandFailure(.output, "\(output) cannot be looked into: \(error.localizedDescription)")
        }
        guard names.isEmpty || force else {
            throw CommandFailure(
                .usage, "\(output) is not empty; name another folder, or give --force to write over it")
        }
    }
}
