import ArgumentParser
import AssayTesting
import Foundation

struct MintAndroidKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "android-key",
        abstract: "Makes evidence of Android Key Attestation of a test device, under a test authority.",
        discussion: """
            For tests of a backend in any language: a policy trusts the authority by testRoots, and every verdict says so.

              assay mint android-key device device.json --root test-roots.pem \\
                --package com.example.shop --certificate-digest SHA256
              assay mint android-key attestation --device device.json \\
                --challenge "$CHALLENGE"
              assay mint android-key request --device device.json \\
                --target-uri https://api.example.com/v1/items
            """,
        subcommands: [
            MintAndroidDeviceCommand.self, MintKeyAttestationCommand.self, MintAndroidRequestCommand.self,
        ])
}

struct MintAndroidDeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Makes a test device with a key, and the authority that attests it.",
        discussion: NewTestDevice.discussion)

    @OptionGroup var new: NewTestDevice
    @OptionGroup var root: TestRootOption
    @OptionGroup var package: TestPackageOptions

    func run() throws {
        let device = try package.added(to: root.attesting(TestDevice(createdAt: Date())))
        try new.write(device) { (device) throws(MintingError) in root.parts(try device.androidAuthority().rootPEM) }
        root.note()
        let key = try TestDeviceOptions.minting { () throws(MintingError) in try device.androidKey(isRSA: false) }
        Console.note("key ID \(Data(key.keyID).base64EncodedString())")
    }
}

enum TestDeviceModel: String, CaseIterable, ExpressibleByArgument {
    case remote
    case strongbox
    case factory
    case software

    var device: AndroidKeyDevice {
        switch self {
        case .remote: .remote
        case .strongbox: .strongBox
        case .factory: .factory
        case .software: .software
        }
    }
}

struct MintKeyAttestationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attestation",
        abstract: "Prints the record of a key attestation, one JSON line.",
        discussion: """
            The app passes the text of the challenge to setAttestationChallenge: the 44 characters that the ledger issued, byte \
            for byte.

            Exit status: 0, 2 a device that cannot be read, 64 bad arguments.
            """)

    @OptionGroup var device: TestDeviceOptions

    @OptionGroup var package: TestPackageOptions

    @Option(help: ArgumentHelp("The version code of the app.", valueName: "number"))
    var versionCode: UInt32 = 1

    @OptionGroup var asked: TestChallengeOption

    @Option(help: "The model of the device.")
    var model = TestDeviceModel.remote

    @Flag(help: "Attests a key of RSA with 2048 bits, in place of one on P-256.")
    var rsa = false

    func run() throws {
        let (test, time) = (try device.file.read(), device.time)
        let app = try package.app(of: device.file)
        let minted = try TestDeviceOptions.minting { () throws(MintingError) in
            try AndroidKeyAttestationBlueprint(
                authority: try test.androidAuthority(), key: try test.androidKey(isRSA: rsa),
                packageName: app.packageName,
                certificateDigest: app.digest, versionCode: versionCode, device: model.device,
                challenge: Array(asked.challenge.utf8), issuedAt: time
            ).mint()
        }
        try device.print(minted.record(id: "attestation", app: device.app, receivedAt: time))
    }
}

struct MintAndroidRequestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request",
        abstract:
            "Prints a request that the attested key has signed as an HTTP message signature: its record, one JSON line.",
        discussion: "Exit status: 0, 2 a file that cannot be read, 64 bad arguments.")

    @OptionGroup var device: TestDeviceOptions

    @OptionGroup var request: TestRequestOptions

    @Flag(help: "Signs with the key of RSA with 2048 bits, in place of the one on P-256.")
    var rsa = false

    func run() throws {
        let test = try device.file.read()
        let key = try TestDeviceOptions.minting { () throws(MintingError) in try test.androidKey(isRSA: rsa) }
        try request.print(.androidKey(key), id: "request", of: device)
    }
}
