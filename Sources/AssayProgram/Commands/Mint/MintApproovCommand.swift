import Approov
import ArgumentParser
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

struct MintApproovCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approov",
        abstract: "Makes an example Approov token under a secret of yours.",
        discussion: """
            Without a subcommand it makes a token, with the options that `assay mint approov token --help` lists:

              assay mint approov --new-secret secret.b64
              assay mint approov --secret file:secret.b64 --bind "Bearer TOKEN"

            A test device keeps its secret and its device ID, and its tokens name the issuer \(TestDevice.approovIssuer):

              assay mint approov device device.json --new-secret secret.b64
              assay mint approov --device device.json --record
            """,
        subcommands: [MintApproovTokenCommand.self, MintApproovDeviceCommand.self],
        defaultSubcommand: MintApproovTokenCommand.self)
}

struct MintApproovDeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Makes a test device, and the secret of an account of its own.",
        discussion: NewTestDevice.discussion)

    @OptionGroup var new: NewTestDevice

    @Option(
        help: ArgumentHelp("The file for the account's secret, for the policy.", valueName: "file"),
        completion: .file())
    var newSecret: String

    func run() throws {
        try new.write(TestDevice(createdAt: Date())) { (device) throws(MintingError) in
            [NewTestDevice.Part(path: newSecret, text: try device.approovKeys().secretFile)]
        }
        Console.note(
            "a policy accepts its tokens with the secret file:\(newSecret) and issuers: [\(TestDevice.approovIssuer)], for tests only"
        )
    }
}

struct MintApproovTokenCommand: ParsableCommand {
    enum Kind: String, CaseIterable, ExpressibleByArgument {
        /// A token that passes.
        case valid
        /// Signed with another secret, like the token of an app that fails attestation.
        case invalid
        /// A token of the failover service.
        case failover
        /// A long-lived token for a server.
        case longLived = "long-lived"
    }

    enum Format: String, CaseIterable, ExpressibleByArgument {
        /// A signed token (JWS).
        case jws
        /// An encrypted token (JWE).
        case jwe
    }

    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Prints an example Approov token that is signed or encrypted with a secret of yours.",
        discussion: """
            The token has the form of Approov's own example tokens: a device ID, an empty address and the time at which \
            it expires. Its holder passes until then as an app that Approov has attested, so handle it as a \
            password; a policy refuses such tokens by maximumLifetime. Every user of a machine can see arguments. So a secret \
            is in a file that only you can read, or in a variable: file:PATH or env:NAME.

              assay mint approov --secret file:secret.b64 --bind "Bearer myauth_token"
              assay mint approov --secret file:secret.b64 --type invalid
              assay mint approov --secret file:secret.b64 --type long-lived \\
                --issuer batch --expires-in 90d

            Exit status: 0, 2 a secret that cannot be read or used, 64 bad arguments.
            """)

    @Option(
        help: ArgumentHelp("The account's secret, \(SecretSource.allowed).", valueName: "source"), completion: .source)
    var secret: String?

    @Option(
        help: ArgumentHelp(
            "Makes a new secret for tests, writes it into this file, which must not exist, and uses it.",
            valueName: "file"),
        completion: .file())
    var newSecret: String?

    @Option(
        help: ArgumentHelp(
            "A test device, whose secret, device ID and issuer the token has. `assay mint approov device` makes one.",
            valueName: "file"),
        completion: .file())
    var device: String?

    @Option(
        help: """
            What the token is good for: valid, invalid (under a secret that is not the account's, as of an app that fails \
            attestation), failover (nothing but its time), or long-lived (for a server, with --issuer).
            """)
    var type = Kind.valid

    @Option(help: "Signed or encrypted, which Approov fixes for each API: jws or jwe.")
    var format = Format.jws

    // Unconditional: a value may begin with a hyphen.
    @Option(
        name: .customLong("bind"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A value that the token is bound to, such as that of Authorization. Repeatable; the order counts.",
            valueName: "value"))
    var bound: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The device ID, base64 of 16 bytes. (default: that of --device, or \(ApproovClaimsBlueprint.exampleDeviceID))",
            valueName: "did"))
    var deviceID: String?

    @Option(
        name: .customLong("annotation"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A property of the device, such as rooted. Repeatable.", valueName: "word"))
    var annotations: [String] = []

    @Option(help: ArgumentHelp("Who issues the token: the claim iss.", valueName: "name"))
    var issuer: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("The ID of the key in the header: kid.", valueName: "kid"))
    var keyID: String?

    @Option(
        help: ArgumentHelp("When it is issued (RFC 3339). (default: now)", valueName: "time"),
        transform: TimeArgument.time)
    var at: Date?

    @Option(
        help: ArgumentHelp(
            "How long it lasts, such as 5m or 90d. (default: 1h; required for long-lived)", valueName: "duration"),
        transform: TimeArgument.duration)
    var expiresIn: Double?

    @Flag(help: "Prints the loggable form of the token: its claims, and the beginning of its signature.")
    var loggable = false

    @Flag(help: "Prints the record of the token, one JSON line.")
    var record = false

    func validate() throws {
        try SecretArgument.validate(secret, of: "--secret")
        guard [secret, newSecret, device].count(where: { $0 != nil }) == 1 else {
            throw ValidationError("exactly one of --secret, --new-secret and --device is needed")
        }
        guard device == nil || issuer == nil && type != .longLived else {
            throw ValidationError(
                "--device excludes --issuer and --type long-lived: its tokens name the issuer \(TestDevice.approovIssuer), which no policy "
                    + "for production allows")
        }
        guard !loggable || !record else { throw ValidationError("--loggable and --record exclude each other") }
        guard newSecret != "" else { throw ValidationError("--new-secret needs the name of a file") }
        try validateClaims()
        guard !loggable || format == .jws else {
            throw ValidationError("--loggable and --format jwe exclude each other: encrypted tokens have no such form")
        }
    }

    private func validateClaims() throws {
        let isOfApp = type == .valid || type == .invalid
        let options = [
            ("--bind", !bound.isEmpty), ("--annotation", !annotations.isEmpty),
            ("--device-id", deviceID != nil),
        ]
        if !isOfApp, let option = options.first(where: \.1)?.0 {
            throw ValidationError(
                "\(option) and --type \(type.rawValue) exclude each other: such tokens tell of no device and are bound to "
                    + "nothing")
        }
        if type == .longLived {
            guard issuer != nil else {
                throw ValidationError("--type long-lived needs --issuer, which names the server")
            }
            guard expiresIn != nil else { throw ValidationError("--type long-lived needs --expires-in, such as 90d") }
        }
        guard !bound.contains("") else { throw ValidationError("--bind needs a value") }
        guard issuer != "", keyID != "" else { throw ValidationError("--issuer and --key-id need a text") }
        if let deviceID, !DeviceIDText.isValid(deviceID) {
            throw ValidationError("--device-id: expected base64 of 16 bytes, found \"\(deviceID.excerpt)\"")
        }
    }

    func run() throws {
        let now = at ?? Date()
        let expiresAt = Date(timeIntervalSince1970: (now.timeIntervalSince1970 + (expiresIn ?? 3600)).rounded(.down))
        let test = try device.map { path throws(CommandFailure) in try TestDeviceFile(path: path).read() }
        let minted: MintedApproovToken
        do {
            var keys = try test?.approovKeys() ?? ApproovTestKeys()
            if test == nil { keys.secret = try accountSecret() }
            var blueprint = ApproovTokenBlueprint(keys: keys, claims: claims(expiresAt, of: test))
            blueprint.form = format == .jwe ? .encrypted : .signed
            blueprint.keyID = keyID
            if type == .invalid { blueprint = blueprint.rejected() }
            minted = try blueprint.mint()
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(.output, "the token cannot be minted: \(error)")
        }
        let text =
            record
            ? minted.record(id: "token", binding: bound, receivedAt: now).jsonLine
            : loggable ? minted.loggable : minted.token
        try Console.print(text)
        Console.note("expires at \(RFC3339.format(expiresAt))")
        if type == .longLived {
            Console.note(
                "keep it in servers only: its holder passes until then; assay ledger block --issuer ends it")
        }
    }

    private func claims(_ expiresAt: Date, of test: TestDevice?) -> ApproovClaimsBlueprint {
        let deviceID = deviceID ?? test?.approovDeviceID ?? ApproovClaimsBlueprint.exampleDeviceID
        let issuer = issuer ?? test.map { _ in TestDevice.approovIssuer }
        var claims: ApproovClaimsBlueprint
        switch type {
        case .valid, .invalid: claims = .example(expiresAt: expiresAt, deviceID: deviceID)
        case .failover: claims = .failover(expiresAt: expiresAt)
        case .longLived: return .longLived(issuer: issuer ?? "", expiresAt: expiresAt)
        }
        if !bound.isEmpty { claims.bind(to: bound) }
        if !annotations.isEmpty { claims[.annotations] = .array(annotations.map { .text($0) }) }
        if let issuer { claims[.issuer] = .text(issuer) }
        return claims
    }

    /// The given secret, or a new one, which is written to a file.
    private func accountSecret() throws -> [UInt8] {
        if let newSecret {
            guard access(newSecret, F_OK) != 0 else {
                throw CommandFailure(
                    .usage,
                    "--new-secret: \(newSecret) exists already; give --secret file:\(newSecret) to use it, or name another "
                        + "file")
            }
            let secret = ApproovTestKeys.newSecret()
            try NewFile.write(
                SecretBytes(Array(ApproovTestKeys.secretFile(of: secret).utf8)), to: newSecret, mode: 0o600)
            return secret
        }
        let source = secret ?? ""
        let text = try SecretArgument.read(source, of: "--secret")
        do {
            // Use the engine's parser, so that the verifier accepts the same secrets.
            _ = try ApproovKey(parts: ["secret": text])
        } catch {
            throw SecretArgument.failure(error, of: "--secret", source)
        }
        let length = ApproovTestKeys.secretLength
        guard let bytes = try? SecretKeyText.decodeBase64(text, byteCounts: length...length) else {
            throw CommandFailure(.unreadable, "--secret: expected base64 of \(length) bytes")
        }
        return bytes.withUnsafeBytes { Array($0) }
    }
}
