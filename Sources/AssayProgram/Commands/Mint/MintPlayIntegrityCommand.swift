import ArgumentParser
import AssayPrimitives
import AssayTesting
import Foundation

struct MintPlayIntegrityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play-integrity",
        abstract: "Makes integrity tokens and answers of a test Google.",
        discussion: """
            For tests of a backend in any language. They say isTestingResponse, as those that the Play Console gives to testers: a policy \
            accepts them by testResponses: allow, and every verdict says so.

              assay mint play-integrity device device.json \\
                --decryption-key d.b64 --verification-key v.b64 \\
                --package com.example.shop --certificate-digest SHA256
              assay mint play-integrity classic --device device.json --nonce "$CHALLENGE"
              assay mint play-integrity standard --device device.json --request-hash "$HASH"
            """,
        subcommands: [
            MintIntegrityDeviceCommand.self, MintClassicTokenCommand.self, MintStandardAnswerCommand.self,
        ])
}

struct MintIntegrityDeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Makes a test device, and the response keys of its app in place of those of the Play Console.",
        discussion: NewTestDevice.discussion)

    @OptionGroup var new: NewTestDevice

    @Option(
        help: ArgumentHelp("The file for the key that opens classic tokens, for decryptionKey.", valueName: "file"),
        completion: .file())
    var decryptionKey: String

    @Option(
        help: ArgumentHelp("The file for the key that verifies them, for verificationKey.", valueName: "file"),
        completion: .file())
    var verificationKey: String

    @OptionGroup var package: TestPackageOptions

    func run() throws {
        try new.write(try package.added(to: TestDevice(createdAt: Date()))) { (device) throws(MintingError) in
            [
                NewTestDevice.Part(path: decryptionKey, text: device.integrityKeys.decryptionKeyFile),
                NewTestDevice.Part(path: verificationKey, text: device.integrityKeys.verificationKeyFile),
            ]
        }
        Console.note(
            "a policy opens its tokens with a key of decryptionKey: \"file:\(decryptionKey)\" and verificationKey: "
                + "\"file:\(verificationKey)\", and accepts them with testResponses: allow, for tests only")
    }
}

/// The options for what a test Google says of an app and a device.
struct TestIntegrityOptions: ParsableArguments {
    @OptionGroup var device: TestDeviceOptions
    @OptionGroup var package: TestPackageOptions

    @Option(help: ArgumentHelp("The version code of the app.", valueName: "number"))
    var versionCode: Int64 = 1

    @Option(
        name: .customLong("device-label"), parsing: .singleValue,
        help: ArgumentHelp(
            "A label of the device, in place of all that a genuine one has: such as MEETS_BASIC_INTEGRITY, or none. Repeatable.",
            valueName: "label"))
    var labels: [String] = []

    /// Says that the answer is for tests, and what is given of the device.
    func mark(_ payload: inout PlayIntegrityPayloadBlueprint) {
        payload[.isTestingResponse] = true
        guard !labels.isEmpty else { return }
        payload[.deviceRecognitionVerdict] = labels == ["none"] ? [] : .array(labels.map { .text($0) })
    }
}

struct MintClassicTokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "classic",
        abstract: "Prints the record of a classic token, one JSON line.",
        discussion: """
            The app passes the text of the challenge to setNonce: the 44 characters that the ledger issued.

            Exit status: 0, 2 a device that cannot be read, 64 bad arguments.
            """)

    @OptionGroup var integrity: TestIntegrityOptions

    @Option(
        parsing: .unconditional,
        help: "The nonce: a challenge of the server, base64url of 16 to 500 bytes.")
    var nonce: String

    func run() throws {
        let bytes: [UInt8]
        do throws(DecodeError) { bytes = try Base64.decode(nonce, .url) } catch {
            throw CommandFailure(
                .usage, "--nonce: expected base64url without padding, found \(nonce.excerpt): \(error.message)")
        }
        let (file, time) = (integrity.device.file, integrity.device.time)
        let keys = try file.read().integrityKeys
        let app = try integrity.package.app(of: file)
        var blueprint = ClassicTokenBlueprint(
            keys: keys, packageName: app.packageName, nonce: bytes, certificateDigests: [app.digest],
            versionCode: integrity.versionCode, issuedAt: time)
        integrity.mark(&blueprint.payload)
        let minted = try TestDeviceOptions.minting { () throws(MintingError) in try blueprint.mint() }
        try integrity.device.print(minted.record(id: "classic", app: integrity.device.app, receivedAt: time))
    }
}

struct MintStandardAnswerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "standard",
        abstract: "Prints the record of a standard token with the answer of a test Google, one JSON line.",
        discussion: """
            The record has the answer of Google's decode call, for a policy with answers: caller. A verifier that asks Google itself takes \
            no answer of a test Google.

            Exit status: 0, 2 a device that cannot be read, 64 bad arguments.
            """)

    @OptionGroup var integrity: TestIntegrityOptions

    @Option(parsing: .unconditional, help: "The request hash that the app passed, text of up to 500 bytes.")
    var requestHash: String

    func run() throws {
        let (file, time) = (integrity.device.file, integrity.device.time)
        _ = try file.read()
        let app = try integrity.package.app(of: file)
        var blueprint = StandardAnswerBlueprint(
            packageName: app.packageName, requestHash: requestHash, certificateDigests: [app.digest],
            versionCode: integrity.versionCode, issuedAt: time)
        integrity.mark(&blueprint.payload)
        let record = try TestDeviceOptions.minting { () throws(MintingError) in
            try blueprint.mint().record(id: "standard", app: integrity.device.app, receivedAt: time)
        }
        try integrity.device.print(record)
    }
}
