import ArgumentParser
import Assay
import AssayCore
import AssayTesting
import Foundation

/// `assay mint app-attest`: makes App Attest evidence of a test device.
struct MintAppAttestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app-attest",
        abstract: "Makes App Attest evidence of a test device, under a test authority.",
        discussion: """
            For tests of a backend in any language: a policy trusts the authority by testRoots, and every verdict says so.

              assay mint app-attest device device.json --root test-root.pem
              assay mint app-attest attestation --device device.json --app-id APPID --challenge "$CHALLENGE"
              assay mint app-attest assertion --device device.json --app-id APPID --counter 1 --client-data file:body
              assay mint app-attest request --device device.json --app-id APPID --counter 2 \\
                --target-uri https://api.example.com/v1/items
            """,
        subcommands: [
            MintDeviceCommand.self, MintAttestationCommand.self, MintAssertionCommand.self, MintRequestCommand.self,
        ])
}

/// `assay mint app-attest device`: makes a test device and its authority.
struct MintDeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Makes a test device with a key, and the authority that attests it.",
        discussion: """
            The file of the device has the private keys of both. Neither file must exist.

            Exit status: 0, 64 bad arguments, 74 a file that cannot be written.
            """)

    @Argument(help: ArgumentHelp("The file for the device.", valueName: "file"), completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp("The file for the authority's root, PEM, for testRoots.", valueName: "file"),
        completion: .file())
    var root: String

    func run() throws {
        let device = TestDevice(createdAt: Date())
        for path in [file, root] where access(path, F_OK) == 0 {
            throw CommandFailure(.usage, "\(path) exists already; name another file")
        }
        try NewFile.write(SecretBytes(Array(device.text.utf8)), to: file, mode: 0o600)
        try NewFile.write(SecretBytes(Array(try device.authority().rootPEM.utf8)), to: root, mode: 0o644)
        Console.note("key ID \(Data(device.key.keyID).base64EncodedString())")
    }
}

/// The options of evidence of a test device.
struct TestDeviceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The file that `assay mint app-attest device` made.", valueName: "file"), completion: .file()
    )
    var device: String

    @Option(help: ArgumentHelp("The App ID: team identifier, period, bundle identifier.", valueName: "app-id"))
    var appID: String

    @Option(help: ArgumentHelp("The app of the policy, for the record; none without it.", valueName: "name"))
    var app: String?

    @Option(
        help: ArgumentHelp("When it is made (RFC 3339). (default: now)", valueName: "time"),
        transform: TimeArgument.time)
    var at: Date?

    /// The time, in whole seconds.
    var time: Date { Date(timeIntervalSince1970: (at ?? Date()).timeIntervalSince1970.rounded(.down)) }

    func read() throws -> TestDevice { try TestDevice(path: device) }

    /// Prints a record on one line.
    func print(_ record: EvidenceRecord) throws { try Console.print(record.jsonLine) }

    /// Mints, and says what is wrong with the arguments.
    static func minting<Minted>(_ body: () throws(MintingError) -> Minted) throws(CommandFailure) -> Minted {
        do { return try body() } catch { throw CommandFailure(.usage, "the evidence cannot be made: \(error)") }
    }
}

/// `assay mint app-attest attestation`: prints the record of an attestation.
struct MintAttestationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attestation",
        abstract: "Prints the record of an attestation, one JSON line.",
        discussion: """
            The app hashes the text of the challenge: the 43 characters that the ledger issued, byte for byte.

            Exit status: 0, 2 a device that cannot be read, 64 bad arguments.
            """)

    @OptionGroup var device: TestDeviceOptions

    @Option(parsing: .unconditional, help: "The challenge of the server, text.")
    var challenge: String

    @Flag(help: "Attests for the environment development; for production without it.")
    var development = false

    func run() throws {
        let (test, time) = (try device.read(), device.time)
        let minted = try TestDeviceOptions.minting { () throws(MintingError) in
            try AttestationBlueprint(
                authority: try test.authority(), key: test.key, appID: device.appID,
                environment: development ? .development : .production,
                clientData: .bytes(Array(challenge.utf8)), issuedAt: time
            ).mint()
        }
        try device.print(minted.record(id: "attestation", app: device.app, receivedAt: time))
    }
}

/// `assay mint app-attest assertion`: prints the record of an assertion.
struct MintAssertionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assertion",
        abstract: "Prints the record of an assertion, one JSON line.",
        discussion: "Exit status: 0, 2 a file that cannot be read, 64 bad arguments.")

    @OptionGroup var device: TestDeviceOptions

    @Option(help: "The counter: 1 for the first assertion of the key, and greater for each later one.")
    var counter: UInt32

    @Option(
        parsing: .unconditional,
        help: "The client data that the app signs: text, or file:PATH.")
    var clientData = ""

    func run() throws {
        let (test, time) = (try device.read(), device.time)
        let data = try ValueArgument(clientData, plain: .text).resolve()
        let minted = try TestDeviceOptions.minting { () throws(MintingError) in
            try AssertionBlueprint(key: test.key, appID: device.appID, counter: counter, clientData: .bytes(data))
                .mint()
        }
        try device.print(minted.record(id: "assertion-\(counter)", app: device.app, receivedAt: time))
    }
}

/// `assay mint app-attest request`: prints a request that carries an assertion.
struct MintRequestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request",
        abstract: "Prints a request whose HTTP message signature is an assertion: its record, one JSON line.",
        discussion: "Exit status: 0, 2 a file that cannot be read, 64 bad arguments.")

    @OptionGroup var device: TestDeviceOptions

    @Option(help: "The counter: 1 for the first assertion of the key, and greater for each later one.")
    var counter: UInt32

    @Option(help: "The method.")
    var method = "GET"

    @Option(help: ArgumentHelp("What the client asks for, https://HOST/PATH.", valueName: "uri"))
    var targetURI: String

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The body: text, or file:PATH.", valueName: "text"))
    var body: String?

    @Option(help: ArgumentHelp("The nonce of the signature: a challenge of the server.", valueName: "text"))
    var nonce: String?

    @Flag(help: "Prints the fields of the request in place of the record, one on each line, for curl --header @FILE.")
    var headers = false

    func run() throws {
        let (test, time) = (try device.read(), device.time)
        var blueprint = SignedRequestBlueprint(
            method: method, targetURI: targetURI,
            evidence: .assertion(test.key, appID: device.appID, counter: counter), nonce: nonce, createdAt: time)
        if let body { blueprint.body = try ValueArgument(body, plain: .text).resolve() }
        let minted = try TestDeviceOptions.minting { () throws(MintingError) in try blueprint.mint() }
        guard headers else {
            return try device.print(minted.record(id: "request-\(counter)", app: device.app, receivedAt: time))
        }
        for header in minted.headers { try Console.print("\(header.name): \(header.value)") }
    }
}
