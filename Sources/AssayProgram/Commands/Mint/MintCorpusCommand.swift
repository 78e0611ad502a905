import ArgumentParser
import AssayTesting
import Foundation

import enum AssayReplay.NumberText

struct MintCorpusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "corpus",
        abstract: "Mints the evidence of many devices over many days, with policies for its replay.",
        discussion: """
            Writes corpus.ndjson in the order of reception, policy.yaml under which every record is judged as it expects, \
            stricter.yaml to compare it with, the test root and keys that both name, and a README.md.

            The devices attest a key, make assertions at different hours, update apps, and reinstall; a share of their \
            evidence must be rejected. The same seed, time and options give the same files, byte for byte.

            The records are in corpus.ndjson.partial until all of them are minted.
            """)

    @Option(
        help: ArgumentHelp("The folder, which must be empty or missing.", valueName: "folder"), completion: .directory)
    var output: String

    @Option(help: ArgumentHelp("The seed of the keys. (default: random)", valueName: "text"))
    var seed: String?

    @Option(
        help: ArgumentHelp("When the evidence is received (RFC 3339). (default: now)", valueName: "time"),
        transform: TimeArgument.time)
    var at: Date?

    @Flag(help: "Write into a folder that is not empty, over files of the same names.")
    var force = false

    @Option(help: ArgumentHelp("The number of devices.", valueName: "number"))
    var devices = 200

    @Option(help: ArgumentHelp("The number of days; the last one ends at --at.", valueName: "number"))
    var days = 14

    @Option(help: ArgumentHelp("The mean number of requests of a device per day.", valueName: "number"))
    var requestsPerDeviceDay: Double?

    @Option(
        help: ArgumentHelp("The number of records, in place of --requests-per-device-day.", valueName: "number"))
    var records: Int?

    @Option(
        help: ArgumentHelp("The share of devices of Apple's platforms.", valueName: "percentage"),
        transform: MintCorpusCommand.share)
    var iosShare: CorpusShare?

    @Option(
        help: ArgumentHelp(
            """
            How many of the records of a kind fail this check first, such as \
            app-attest.assertion.counter=0.5%; 0% for none. May be given several times; checks without one \
            fail in a usual share.
            """, valueName: "check=percentage"))
    var share: [String] = []

    @Flag(help: "Refuse nothing but what --share says.")
    var onlyGivenShares = false

    func validate() throws {
        guard !output.isEmpty else { throw ValidationError("--output needs a folder") }
        guard seed != "" else { throw ValidationError("--seed needs a text") }
        guard records == nil || requestsPerDeviceDay == nil else {
            throw ValidationError("--records and --requests-per-device-day exclude each other")
        }
    }

    func run() async throws {
        let mint: CorpusMint
        do {
            let blueprint = try blueprint()
            try requireFolder()
            mint = try CorpusMint(blueprint)
        } catch let error as MintingError {
            throw CommandFailure(.usage, error.description)
        }
        let corpus = Self.corpus(in: output)
        let file = try claim(corpus.appendingPathExtension("partial"))
        try prepare(mint.files)
        let count = try await write(mint, to: corpus, through: file)
        try Console.print(escaping: "\(count) records in \(output)/corpus.ndjson")
    }

    private func blueprint() throws(MintingError) -> CorpusBlueprint {
        var blueprint = CorpusBlueprint(seed: seed ?? UUID().uuidString, end: at ?? Date())
        blueprint.devices = devices
        blueprint.days = days
        blueprint.records = records
        if let requestsPerDeviceDay { blueprint.requestsPerDeviceDay = requestsPerDeviceDay }
        if let iosShare { blueprint.appleShare = iosShare }
        if onlyGivenShares { blueprint.shares = [:] }
        var given: Set<String> = []
        for text in share {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else {
                throw MintingError("--share takes a check and a percentage, such as app-attest.assertion.counter=0.5%")
            }
            guard given.insert(String(parts[0])).inserted else {
                throw MintingError("--share is given twice for \(parts[0])")
            }
            blueprint.shares[String(parts[0])] = try CorpusShare(String(parts[1]))
        }
        return blueprint
    }

    private static func share(_ text: String) throws -> CorpusShare {
        do { return try CorpusShare(text) } catch { throw ValidationError(error.description) }
    }

    private static func corpus(in folder: String) -> URL {
        URL(fileURLWithPath: folder, isDirectory: true).appendingPathComponent("corpus.ndjson")
    }

    /// Creates the folder if necessary, and a file in it that only one process can create: two processes that mint into
    /// one folder would mix their keys and records.
    private func claim(_ partial: URL) throws(CommandFailure) -> FileHandle {
        do {
            try FileManager.default.createDirectory(
                at: partial.deletingLastPathComponent(), withIntermediateDirectories: true)
        } catch {
            throw CommandFailure(.output, "\(output) cannot be created: \(error.localizedDescription)")
        }
        if force { unlink(partial.path) }
        let descriptor = open(partial.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            guard errno == EEXIST else {
                throw CommandFailure(.output, "\(output) cannot be written to: \(String(cString: strerror(errno)))")
            }
            throw CommandFailure(
                .usage,
                "another process is minting into \(output), or one was interrupted; name another folder, or give --force to "
                    + "write over it")
        }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Streams the records to a file and renames it at the end. Returns the number of records.
    private func write(_ corpus: CorpusMint, to url: URL, through handle: FileHandle) async throws -> Int {
        var mint = corpus
        var count = 0
        let partial = url.appendingPathExtension("partial")
        var progress = ProgressLine()
        do {
            // An older corpus does not fit the new policy and keys.
            guard unlink(url.path) == 0 || errno == ENOENT else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
            while let lines = try await mint.nextLines() {
                try handle.write(contentsOf: Data(lines))
                count += lines.count { $0 == UInt8(ascii: "\n") }
                progress.update { _ in
                    [NumberText.count(count, "record"), "\(mint.progress) %"]
                }
            }
            progress.clear()
            try handle.close()
            guard rename(partial.path, url.path) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        } catch let error as MintingError {
            throw CommandFailure(.output, "the test evidence cannot be minted: \(error)")
        } catch {
            throw CommandFailure(.output, "\(output) cannot be written to: \(error.localizedDescription)")
        }
        return count
    }

    /// Throws unless the folder is missing or empty, or overwriting is allowed.
    private func requireFolder() throws(CommandFailure) {
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

    /// Writes files into the folder.
    private func prepare(_ files: [MintedCorpusFile]) throws(CommandFailure) {
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
    }

    /// Replaces a file with one that has mode 0600 from its creation, whatever the umask or the old file's mode.
    private func writeSecret(_ contents: Data, to url: URL) throws {
        guard unlink(url.path) == 0 || errno == ENOENT else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: contents)
        try handle.close()
    }
}
