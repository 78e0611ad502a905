import ArgumentParser
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

/// The file of a new device, and the files that a policy takes from it.
struct NewTestDevice: ParsableArguments {
    static let discussion = """
        The file of the device has all private keys. None of the files must exist.

        Exit status: 0, 2 a file that cannot be read, 64 bad arguments, 74 a file that cannot be written.
        """

    /// A file beside that of the device.
    struct Part {
        let path, text: String
        /// Whether only the user may read it.
        var isSecret = true
    }

    @Argument(help: ArgumentHelp("The file for the device.", valueName: "file"), completion: .file())
    var file: String

    /// Creates a device and writes its file and the others.
    func write(
        _ device: TestDevice, beside parts: (TestDevice) throws(MintingError) -> [Part]
    ) throws(CommandFailure) {
        let parts = try TestDeviceOptions.minting { () throws(MintingError) in try parts(device) }
        for path in [file] + parts.map(\.path) where access(path, F_OK) == 0 {
            throw CommandFailure(.usage, "\(path) exists already; name another file")
        }
        try NewFile.write(SecretBytes(Array(device.text.utf8)), to: file, mode: 0o600)
        for part in parts {
            try NewFile.write(
                SecretBytes(Array(part.text.utf8)), to: part.path, mode: part.isSecret ? 0o600 : 0o644)
        }
    }
}

/// The authority that attests a new device.
struct TestRootOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("The file for the root of a new authority, PEM, for testRoots.", valueName: "file"),
        completion: .file())
    var root: String?

    @Option(
        help: ArgumentHelp(
            "In place of --root: the file of another test device, whose authority attests this one too.",
            valueName: "device"),
        completion: .file())
    var authority: String?

    func validate() throws {
        guard (root == nil) != (authority == nil) else {
            throw ValidationError("exactly one of --root and --authority is needed")
        }
    }

    /// The device, attested by the given authority.
    func attesting(_ device: TestDevice) throws(CommandFailure) -> TestDevice {
        guard let authority else { return device }
        var device = device
        device.share(authorityOf: try TestDeviceFile(path: authority).read())
        return device
    }

    /// The file of a new root.
    func parts(_ rootPEM: String) -> [NewTestDevice.Part] {
        root.map { [NewTestDevice.Part(path: $0, text: rootPEM, isSecret: false)] } ?? []
    }

    func note() {
        Console.note(
            root.map { "a policy trusts this device with testRoots: [\"file:\($0)\"], for tests only" }
                ?? "a policy that trusts \(authority ?? "") trusts this device")
    }
}

/// The challenge of an attestation.
struct TestChallengeOption: ParsableArguments {
    @Option(parsing: .unconditional, help: "The challenge of the server, text.")
    var challenge: String

    func validate() throws {
        // An unset variable of a shell. No server issues an empty challenge.
        guard !challenge.isEmpty else {
            throw ValidationError("--challenge is empty: give the text that the server issued")
        }
    }
}

/// The app of an Android test device.
struct TestPackageOptions: ParsableArguments {
    @Option(
        name: .customLong("package"),
        help: ArgumentHelp("The package name of the app. The device keeps the first.", valueName: "name"))
    var packageName: String?

    @Option(
        help: ArgumentHelp(
            "SHA-256 of the certificate that signs the app, as in policies: hexadecimal, with or without colons, or base64. The device "
                + "keeps the first.",
            valueName: "digest"))
    var certificateDigest: String?

    /// The device with what is given.
    func added(to device: TestDevice) throws(CommandFailure) -> TestDevice {
        var device = device
        device.packageName = packageName
        if let certificateDigest { device.certificateDigest = try TestDeviceFile.digest(certificateDigest).hexadecimal }
        return device
    }

    /// Package name and digest, given or kept.
    func app(of file: TestDeviceFile) throws(CommandFailure) -> (packageName: String, digest: [UInt8]) {
        // The digest first: a wrong one is kept nowhere.
        let digest = try file.certificateDigest(certificateDigest)
        return (try file.packageName(packageName), digest)
    }
}

struct TestDeviceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The file that `assay mint ... device` made.", valueName: "file"), completion: .file())
    var device: String

    @Option(help: ArgumentHelp("The app of the policy, for the record; none without it.", valueName: "name"))
    var app: String?

    @Option(
        help: ArgumentHelp("When it is made (RFC 3339). (default: now)", valueName: "time"),
        transform: TimeArgument.time)
    var at: Date?

    /// The time, in whole seconds.
    var time: Date { Date(timeIntervalSince1970: (at ?? Date()).timeIntervalSince1970.rounded(.down)) }

    var file: TestDeviceFile { TestDeviceFile(path: device) }

    func print(_ record: EvidenceRecord) throws(CommandFailure) { try Console.print(record.jsonLine) }

    /// Runs `body` and converts its error to one about the arguments.
    static func minting<Minted>(_ body: () throws(MintingError) -> Minted) throws(CommandFailure) -> Minted {
        do { return try body() } catch { throw CommandFailure(.usage, "the evidence cannot be made: \(error)") }
    }
}

struct TestRequestOptions: ParsableArguments {
    @Option(help: "The method.")
    var method = "GET"

    @Option(help: ArgumentHelp("What the client asks for, https://HOST/PATH.", valueName: "uri"))
    var targetURI: String

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The body: text, or file:PATH.", valueName: "text"))
    var body: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The nonce of the signature: a challenge of the server.", valueName: "text"))
    var nonce: String?

    @Flag(help: "Prints the fields of the request in place of the record, one on each line, for curl --header @FILE.")
    var headers = false

    /// Mints the request and prints its record or its fields.
    func print(_ evidence: SignedRequestBlueprint.Evidence, id: String, of device: TestDeviceOptions) throws {
        let time = device.time
        var blueprint = SignedRequestBlueprint(
            method: method, targetURI: targetURI, evidence: evidence, nonce: nonce, createdAt: time)
        if let body { blueprint.body = try ValueArgument(body, plain: .text).resolve() }
        let minted = try TestDeviceOptions.minting { () throws(MintingError) in try blueprint.mint() }
        guard headers else {
            return try device.print(minted.record(id: id, app: device.app, receivedAt: time))
        }
        for header in minted.headers { try Console.print("\(header.name): \(header.value)") }
    }
}
