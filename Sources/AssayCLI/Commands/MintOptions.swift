import ArgumentParser
import Assay
import AssayMinting
import AssayTesting
import Foundation

/// What all kinds of test vectors are written with, and how.
struct MintOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The folder, which must be empty or missing.", valueName: "folder"), completion: .directory)
    var output: String

    @Option(help: ArgumentHelp("Where the keys come from; random without it.", valueName: "text"))
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

    /// Mints a set of test vectors and writes its files.
    func write(_ set: any VectorSet.Type) async throws {
        try demandFolder()
        let time = Date(timeIntervalSince1970: (at ?? Date()).timeIntervalSince1970.rounded(.down))
        let files: [VectorFile]
        do {
            files = try await set.files(seed: seed, at: time)
        } catch {
            throw CommandFailure(.output, "the test evidence cannot be minted: \(error)")
        }
        try prepare(files)
        let terminal = Terminal(STDOUT_FILENO)
        try Console.print(terminal.printable("\(files.count) files in \(output), received at \(RFC3339.format(time))"))
    }

    /// Writes files into the folder, which is made when it is missing, and gives it.
    @discardableResult
    func prepare(_ files: [VectorFile]) throws(CommandFailure) -> URL {
        let folder = URL(fileURLWithPath: output, isDirectory: true)
        do {
            for file in files {
                let url = folder.appendingPathComponent(file.path)
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                let contents = Data(file.contents.utf8)
                if file.isSecret { try writeSecret(contents, to: url) } else { try contents.write(to: url) }
            }
        } catch {
            throw CommandFailure(.output, "\(output) cannot be written to: \(error.localizedDescription)")
        }
        return folder
    }

    /// Writes a file that at no time anybody else can read, whatever the umask and whatever stood there before.
    private func writeSecret(_ contents: Data, to url: URL) throws {
        guard unlink(url.path) == 0 || errno == ENOENT else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: contents)
        try handle.close()
    }

    /// Demands that the folder is empty or missing, unless files may be written over.
    func demandFolder() throws(CommandFailure) {
        let folder = URL(fileURLWithPath: output, isDirectory: true)
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
