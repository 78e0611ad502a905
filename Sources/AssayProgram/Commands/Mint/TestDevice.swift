import ArgumentParser
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

struct NewTestDevice: ParsableArguments {
    static let discussion = """
        The file of the device has the private keys of both. Neither file must exist.

        Exit status: 0, 64 bad arguments, 74 a file that cannot be written.
        """

    @Argument(help: ArgumentHelp("The file for the device.", valueName: "file"), completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp("The file for the authority's root, PEM, for testRoots.", valueName: "file"),
        completion: .file())
    var root: String

    /// Creates a device and writes both files.
    ///
    /// - Parameter rootPEM: The certificates of the authority's roots.
    func write(_ rootPEM: (TestDevice) throws(MintingError) -> String) throws -> TestDevice {
        let device = TestDevice(createdAt: Date())
        for path in [file, root] where access(path, F_OK) == 0 {
            throw CommandFailure(.usage, "\(path) exists already; name another file")
        }
        let roots = try TestDeviceOptions.minting { () throws(MintingError) in try rootPEM(device) }
        try NewFile.write(SecretBytes(Array(device.text.utf8)), to: file, mode: 0o600)
        try NewFile.write(SecretBytes(Array(roots.utf8)), to: root, mode: 0o644)
        Console.note("a policy trusts this device with testRoots: [\"file:\(root)\"], for tests only")
        return device
    }
}

/// A test device and its authority. Their keys derive from one seed in a file.
struct TestDevice {
    /// 32 random bytes, hexadecimal.
    let seed: String
    /// The creation time of the device.
    let createdAt: Date

    init(createdAt: Date) {
        seed = (0..<32).map { _ in
            let byte = UInt8.random(in: .min ... .max)
            return (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
        self.createdAt = createdAt
    }

    /// Reads a device file.
    init(path: String) throws(CommandFailure) {
        do {
            let object = try JSONReader.readObject(Array(try Data(contentsOf: URL(filePath: path))), limit: 4096)
            let fields = RecordFields(object, path: "")
            try fields.requireOnly(["testDeviceSeed", "createdAt"])
            guard let seed = try fields.text("testDeviceSeed"), seed.utf8.count == 64,
                let time = try fields.text("createdAt").flatMap(RFC3339.parse)
            else { throw CommandFailure(.unreadable, "") }
            (self.seed, createdAt) = (seed, time)
        } catch {
            // Do not show the reader's error: it may quote the seed.
            throw CommandFailure(
                .unreadable,
                "\(path) is no file of a test device; `assay mint app-attest device` or `android-key device` makes one")
        }
    }

    /// The contents of the file.
    var text: String {
        var object = JSONObject()
        object.add("testDeviceSeed", text: seed)
        object.add("createdAt", text: RFC3339.format(createdAt))
        return object.text + "\n"
    }

    var key: AttestedKey { AttestedKey(seed: seed, label: "device") }

    /// The authority. It becomes valid two days before the device is created.
    func authority() throws(MintingError) -> TestAuthority {
        try TestAuthority(seed: seed, notBefore: createdAt.addingTimeInterval(-2 * 86_400))
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

    func read() throws -> TestDevice { try TestDevice(path: device) }

    func print(_ record: EvidenceRecord) throws { try Console.print(record.jsonLine) }

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

    @Option(help: ArgumentHelp("The nonce of the signature: a challenge of the server.", valueName: "text"))
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

extension TestDevice {
    func androidKey(isRSA: Bool) throws(MintingError) -> AndroidAttestedKey {
        try AndroidAttestedKey(isRSA ? .rsa2048 : .p256, seed: seed, label: "device")
    }

    /// The authority. It becomes valid two days before the device is created.
    func androidAuthority() throws(MintingError) -> AndroidKeyTestAuthority {
        try AndroidKeyTestAuthority(seed: seed, notBefore: createdAt.addingTimeInterval(-2 * 86_400))
    }
}
