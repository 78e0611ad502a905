import ArgumentParser
import AssayCore
import AssayTesting
import Foundation

struct MintAppAttestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app-attest",
        abstract: "Makes App Attest evidence of a test device, under a test authority.",
        discussion: """
            For tests of a backend in any language: a policy trusts the authority by testRoots, and every verdict says so.

              assay mint app-attest device device.json --root test-root.pem --app-id APPID
              assay mint app-attest attestation --device device.json \\
                --challenge "$CHALLENGE"
              assay mint app-attest assertion --device device.json --client-data file:body
              assay mint app-attest request --device device.json \\
                --target-uri https://api.example.com/v1/items

            The file of the device keeps its App ID and its counter. Processes that use it at once get different counters.
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
    @OptionGroup var root: TestRootOption

    @Option(
        help: ArgumentHelp(
            "The App ID that the device keeps: team identifier, period, bundle identifier.", valueName: "app-id"))
    var appID: String?

    func run() throws {
        var device = try root.attesting(TestDevice(createdAt: Date()))
        device.appID = appID
        try new.write(device) { (device) throws(MintingError) in root.parts(try device.authority().rootPEM) }
        root.note()
        Console.note("key ID \(Data(device.key.keyID).base64EncodedString())")
    }
}

/// The options for evidence of an Apple test device.
struct TestAppOptions: ParsableArguments {
    @OptionGroup var device: TestDeviceOptions

    @Option(
        help: ArgumentHelp(
            "The App ID: team identifier, period, bundle identifier. (default: the first one, which the device keeps)",
            valueName: "app-id"))
    var appID: String?
}

/// The option for the counter of an assertion.
struct TestCounterOption: ParsableArguments {
    @Option(
        help: """
            The counter: 1 for the first assertion of the key, and greater for each later one. (default: the next one, which the \
            device counts)
            """)
    var counter: UInt32?
}

struct MintAttestationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attestation",
        abstract: "Prints the record of an attestation, one JSON line.",
        discussion: """
            The app hashes the text of the challenge: the 44 characters that the ledger issued, byte for byte.

            Exit status: 0, 2 a device that cannot be read, 64 bad arguments.
            """)

    @OptionGroup var app: TestAppOptions

    @OptionGroup var asked: TestChallengeOption

    @Flag(help: "Attests for the environment development; for production without it.")
    var development = false

    func run() throws {
        let (test, time) = (try app.device.file.read(), app.device.time)
        let appID = try app.device.file.appID(app.appID)
        let minted = try TestDeviceOptions.minting { () throws(MintingError) in
            try AttestationBlueprint(
                authority: try test.authority(), key: test.key, appID: appID,
                environment: development ? .development : .production,
                clientData: .bytes(Array(asked.challenge.utf8)), issuedAt: time
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

    @OptionGroup var counting: TestCounterOption

    @Option(
        parsing: .unconditional,
        help: "The client data that the app signs: text, or file:PATH.")
    var clientData = ""

    func run() throws {
        let (test, time) = (try app.device.file.read(), app.device.time)
        let data = try ValueArgument(clientData, plain: .text).resolve()
        let appID = try app.device.file.appID(app.appID)
        let counter = try app.device.file.nextCounter(counting.counter)
        let minted = try TestDeviceOptions.minting { () throws(MintingError) in
            try AssertionBlueprint(key: test.key, appID: appID, counter: counter, clientData: .bytes(data))
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

    @OptionGroup var counting: TestCounterOption

    @OptionGroup var request: TestRequestOptions

    func run() throws {
        let test = try app.device.file.read()
        let appID = try app.device.file.appID(app.appID)
        let counter = try app.device.file.nextCounter(counting.counter)
        try request.print(
            .assertion(test.key, appID: appID, counter: counter), id: "request-\(counter)", of: app.device)
    }
}
