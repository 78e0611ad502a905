import Approov
import ArgumentParser
import Assay
import AssayCore
import AssayPrimitives
import Foundation

struct ProofCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proof",
        abstract: "Seals the measurements of Approov tokens for offline hardware, and opens them there.",
        discussion: """
            The backend verifies the token that the app fetched with ?measurement, and gives the measurement token to the app, \
            which hands it to the hardware with each proof. `assay verify --kind approov.proof` judges the proofs.
            """,
        subcommands: [ProofTokenCommand.self, ProofOpenCommand.self])
}

struct ProofTokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Makes a measurement token from a record, as POST /v1/measurements does.",
        discussion: """
            FILE is one evidence record with an Approov token that carries measurements. Prints the measurement token, a \
            compact JWE with ECDH-ES on P-256 and A256GCM, or the verdict of rejected evidence as JSON.

            Exit status: 0 made, 1 rejected, 2 record, policy or key that cannot be read, or no measurements, 3 an outage, 64 \
            bad arguments.

              openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 \\
                -out hardware.pem
              openssl pkey -in hardware.pem -pubout -out hardware.pub
              assay proof token record.json --policy policy.yaml \\
                --hardware-key hardware.pub
            """)

    @Argument(help: "The record, and - for standard input.", completion: .file())
    var file: String

    @Option(help: "The policy.", completion: .yaml)
    var policy: String

    @Option(
        help: ArgumentHelp(
            "The public key of the hardware, P-256, PEM or base64. (default: proof.hardware of the policy)",
            valueName: "file"), completion: .file())
    var hardwareKey: String?

    @Option(
        help: ArgumentHelp("The ledger: \(LedgerURL.allowed). (default: memory:)", valueName: "url"),
        completion: .ledger, transform: { try LedgerURL($0) })
    var ledger: LedgerURL?

    @OptionGroup var masterKey: MasterKeyOption

    func validate() throws {
        if let hardwareKey { try SecretArgument.validateFile(hardwareKey, of: "--hardware-key") }
    }

    func run() async throws {
        let policy = try PolicyArgument.read(policy)
        let masterKey = try ledger == nil || ledger == .memory ? nil : masterKey.readIfAny()
        let hardware = try hardwareKey.map(Self.publicKey)
        let record = try RecordArgument.read(file)
        let answer = try await (ledger ?? .memory).withLedger(creating: false) { open in
            let stores = try masterKey.map { [try open.keyStore($0)] } ?? []
            let verifier = Verifier(policy: policy, ledger: open.ledger, keyStores: stores)
            do throws(VerificationError) {
                return try await verifier.sealMeasurements(of: record, for: hardware, at: Date())
            } catch { throw CommandFailure(error, of: file) }
        }
        switch answer {
        case .sealed(let text, _, _): try Console.print(text)
        case .rejected(let verdict):
            try Console.print(verdict.json(id: record.id))
            throw CommandFailure(.rejected)
        }
    }

    private static func publicKey(_ file: String) throws(CommandFailure) -> MeasurementToken.PublicKey {
        let text = String(decoding: try InputFile.read(file, limit: 16_384), as: UTF8.self)
        do throws(KeyError) { return try MeasurementToken.PublicKey(text: text) } catch {
            throw SecretArgument.failure(error, of: "--hardware-key", "file:\(file)")
        }
    }
}

struct ProofOpenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Opens a measurement token with the private key of the hardware.",
        discussion: """
            Prints the content as JSON: mpk, imh and dmh in base64, did, arc, iat and exp. mpk is a secret: with it and a \
            measurement anyone can make proofs.

            Exit status: 0 opened, 1 sealed for another key, changed or expired, 2 file or key that cannot be read, 64 bad \
            arguments.
            """)

    @Argument(help: "The file with the measurement token, and - for standard input.", completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp(
            "The private key of the hardware, a PEM block PRIVATE KEY: file:PATH or env:NAME.", valueName: "source"),
        completion: .source)
    var hardwareKey: String

    @Option(
        help: ArgumentHelp("Open as of this time (RFC 3339), not now.", valueName: "time"),
        transform: TimeArgument.time)
    var at: Date?

    func validate() throws { try SecretArgument.validate(hardwareKey, of: "--hardware-key") }

    func run() async throws {
        let pem = try SecretArgument.read(hardwareKey, of: "--hardware-key")
        let key: MeasurementToken.PrivateKey
        do throws(KeyError) { key = try MeasurementToken.PrivateKey(pem: pem) } catch {
            throw SecretArgument.failure(error, of: "--hardware-key", hardwareKey)
        }
        let bytes = try InputFile.read(file, limit: InputLimits.joseText + 2)
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        let token: MeasurementToken
        do throws(DecodeError) { token = try MeasurementToken(opening: text, with: key, at: at ?? Date()) } catch {
            throw CommandFailure(
                ["not-opened", "measurements-expired"].contains(error.code) ? .rejected : .unreadable,
                "\(InputFile.name(file)): \(error)")
        }
        try Console.print(token.json())
    }
}
