import ArgumentParser
import Assay
import AssayCore
import AssayTesting
import Foundation

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

struct MintDeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Makes a test device with a key, and the authority that attests it.",
        discussion: NewTestDevice.discussion)

    @OptionGroup var new: NewTestDevice

    func run() throws {
        let device = try new.write { (device) throws(MintingError) in try device.authority().rootPEM }
        Console.note("key ID \(Data(device.key.keyID).base64EncodedString())")
    }
}

/// The options for evidence of an Apple test device.
struct TestAppOptions: ParsableArguments {
    @OptionGroup var device: TestDeviceOptions

    @Option(help: ArgumentHelp("The App ID: team identifier, period, bundle identifier.", valueName: "app-id"))
    var appID: String
}

struct MintAttestationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attestation",
        abstract: "Prints the record of an attestation, one JSON line.",
        discussion: """
            The app hashes the text of the challenge: the 43 characters that the ledger issued, byte for byte.

            Exit status: 0, 2 a device that cannot be read, 64 bad arguments.
            """)

    @OptionGroup var app: TestAppOptions

    @Option(parsing: .unconditional, help: "The challenge of the server, text.")
    var challenge: String

    @Flag(help: "Attests for the environment development; for production without it.")
    var development = false

    func run() throws {
        let (test, time) = (try app.device.read(), app.device.time)
        let minted = try TestDeviceOptions.minting { () throws(MintingError) in
            try AttestationBlueprint(
                authority: try test.authority(), key: test.key, appID: app.appID,
                environment: development ? .development : .production,
                clientData: .bytes(Array(challenge.utf8)), issuedAt: time
            ).mint()
        }
        try app.device.print(minted.record(id: "attestation", app: app.device.app, receivedAt: time))
    }
}

struct MintAssertionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assertion",
        abstract: "Prints the record of an assertion, one JSON line.",
        discussion: "Exit status: 0, 2 a file that cannot be read, 64 bad arguments.")

    @OptionGroup var app: TestAppOptions

    @Option(help: "The counter: 1 for the first assertion of the key, and greater for each later one.")
    var counter: UInt32

    @Option(
        parsing: .unconditional,
        help: "The client data that the app signs: text, or file:PATH.")
    var clientData = ""

    func run() throws {
        let (test, time) = (try app.device.read(), app.device.time)
        let data = try ValueArgument(clientData, plain: .text).resolve()
        let minted = try TestDeviceOptions.minting { () throws(MintingError) in
            try AssertionBlueprint(key: test.key, appID: app.appID, counter: counter, clientData: .bytes(data))
                .mint()
        }
        try app.device.print(minted.record(id: "assertion-\(counter)", app: app.device.app, receivedAt: time))
    }
}

struct MintRequestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request",
        abstract: "Prints a request whose HTTP message signature is an assertion: its record, one JSON line.",
        discussion: "Exit status: 0, 2 a file that cannot be read, 64 bad arguments.")

    @OptionGroup var app: TestAppOptions

    @Option(help: "The counter: 1 for the first assertion of the key, and greater for each later one.")
    var counter: UInt32

    @OptionGroup var request: TestRequestOptions

    func run() throws {
        let test = try app.device.read()
        try request.print(
            .assertion(test.key, appID: app.appID, counter: counter), id: "request-\(counter)", of: app.device)
    }
}
