import ArgumentParser
import Assay
import AssayCore

/// `assay capture seal`: seals records.
struct CaptureSealCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seal",
        abstract: "Seals the evidence of records for a public key, and prints each record on one line.",
        discussion: """
            Kind, app, time, id and expectation stay in clear, and cannot be changed any more. Evidence, account, device token and \
            device bits are encrypted with HPKE (RFC 9180: X25519, HKDF-SHA256, ChaCha20-Poly1305). The last record has the number \
            of all: `assay capture open` and `assay replay` report a file that was cut.

            Exit status: 0, 2 something could not be read, 74 the output cannot be written.
            """)

    @OptionGroup var corpus: CorpusArguments

    @Option(help: ArgumentHelp("The public key: file:PATH or env:NAME.", valueName: "source"))
    var to: String

    func validate() throws { try SecretArgument.validate(to, of: "--to") }

    func run() throws {
        let key = try CaptureKeyArgument.publicKey(to, of: "--to")
        try corpus.rewrite { (record, count) throws(CaptureError) in
            try record.sealedLine(for: key, endingFileOf: count)
        }
    }
}
