import ArgumentParser
import Assay
import AssayCapture
import AssayInspection
import AssayPrimitives
import AssayReplay

/// `assay partition`: tells a distributed engine which records belong together.
struct PartitionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "partition",
        abstract: "Puts before each record of a corpus a key that it shares with all whose verdicts depend on it.",
        discussion: """
            For mappers of a distributed engine. Standard input has lines of a number, a tab and a record; standard \
            output has for each of them the key, a tab, and the line as it came. Records of one key must come to one \
            `assay replay --numbered` in the order of their numbers; keys can go anywhere. A record that cannot be read, or \
            that no other depends on, has a key of its own. Blank records, which a replay passes over, are left out.

            A key is 16 digits of 0-9a-f, and evenly spread. What a line cannot hold as text can be given after the tab as \
            = and standard base64 of the record.

            What belongs together in sealed records only --capture-key tells; without it they are an error. They are \
            written as they came, so that the replay needs the key as well.

            Challenges of the ledger tie App Attest records of different keys together, which no key tells: replay \
            policies with `challenge: ledger` on one machine, or accept that a challenge counts as new once for each key.
            """)

    /// How many bytes are written at once.
    private static let chunk = 256 * 1024

    @Option(help: ArgumentHelp("Look into sealed records with this key: file:PATH or env:NAME.", valueName: "source"))
    var captureKey: String?

    func validate() throws { try SecretArgument.validate(captureKey, of: "--capture-key") }

    func run() throws {
        let key = try captureKey.map { try CaptureKeyArgument.privateKey($0, of: "--capture-key") }
        var options = CorpusOptions()
        options.isNumbered = true
        let reader: CorpusReader
        do {
            reader = try CorpusReader(paths: ["-"], options: options)
        } catch {
            throw CommandFailure(.usage, error.description)
        }
        var output: [UInt8] = []
        while let batch = reader.next() {
            for item in batch.items { try append(item, opening: key, to: &output) }
            if output.count >= Self.chunk { try flush(&output) }
        }
        try flush(&output)
    }

    private func append(
        _ item: CorpusItem, opening key: CapturePrivateKey?, to output: inout [UInt8]
    ) throws(CommandFailure) {
        guard case .line(let record) = item.content, let number = item.place.line else {
            // Whoever leaves a line out has a replay that is not that of the corpus.
            guard case .unreadable(let failure) = item.content else {
                throw CommandFailure(.unreadable, "\(item.place): expected a numbered line")
            }
            throw CommandFailure(.unreadable, "\(item.place): \(failure.message)")
        }
        guard !record.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return }
        output += try Self.key(of: item, number: number, opening: key).utf8
        output.append(UInt8(ascii: "\t"))
        output += "\(number)\t".utf8
        if record.first != UInt8(ascii: "="), String(validating: record, as: UTF8.self) != nil {
            output += record
        } else {
            output.append(UInt8(ascii: "="))
            output += Base64.encode(record, .standard).utf8
        }
        output.append(UInt8(ascii: "\n"))
    }

    private func flush(_ output: inout [UInt8]) throws(CommandFailure) {
        try Console.write(output)
        output.removeAll(keepingCapacity: true)
    }

    private static func key(
        of item: CorpusItem, number: Int, opening key: CapturePrivateKey?
    ) throws(CommandFailure) -> String {
        switch item.record(opening: key) {
        case .success(let record):
            return spread(EngineRegistry.current.orderingKey(of: record).map { "record \($0)" } ?? "line \(number)")
        case .failure(let failure):
            guard !failure.isSealed else { throw CommandFailure(.unreadable, "\(item.place): \(failure.message)") }
            return spread("line \(number)")
        }
    }

    /// The first eight bytes of a digest: two texts that share them by chance only share a partition.
    private static func spread(_ text: String) -> String {
        Hexadecimal.text(Digest.sha256(Array(text.utf8)).prefix(8))
    }
}
