import ArgumentParser
import Assay
import AssayCore
import AssayPrimitives
import AssayTokens
import Foundation

struct PinsModeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mode",
        abstract: "Has one device use no pins, or connect to nothing, for a time.",
        discussion: """
            For tests of an app: `unpin` lets a tester read what the app sends, `block` keeps it from every host that has pins, and \
            `blockAll` from its backend too. `pin` ends the mode. The device gets the mode with its next token, and ends it at its \
            time without another one.

              assay pins mode unpin --key-id KEY-ID --for 2h
              assay pins mode pin --key-id KEY-ID

            Exit status: 0, 1 there are \(AppConfigurationState.maximumModes) devices with a mode, 3 an outage or no ledger, 64 bad \
            arguments, or the answer was not yes.
            """)

    @Argument(
        help: "unpin, block, blockAll or pin.", completion: .list(PinMode.allCases.map(\.rawValue)),
        transform: PinsModeCommand.mode)
    var mode: PinMode

    @OptionGroup var device: PinnedDeviceOptions

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long, at most 30d. (default: 1h)", valueName: "duration"),
        transform: TimeArgument.duration)
    var duration: Double?

    @OptionGroup var author: OperatorOption
    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var options: LedgerOptions

    func validate() throws {
        guard mode != .pin || duration == nil else { throw ValidationError("pin ends the mode, and takes no --for") }
        guard (1...DevicePinMode.longestTime).contains(duration ?? 3600) else {
            throw ValidationError("--for takes 1s to 30d")
        }
    }

    func run() async throws {
        let (now, author, mode) = (Date(), author.name, mode)
        let set = DevicePinMode(device.subject, mode, until: now + (duration ?? 3600), setBy: author)
        if mode != .pin {
            try confirmation.require("This changes how \(set.device) connects, as \(options.url.description) says")
        }
        let former = try await options.url.withLedger(creating: false) { open in
            try await LedgerRegister<AppConfigurationState>(in: open.ledger).change(at: now) {
                (state) throws(CommandFailure) in
                let former = state.mode(of: set.device, at: now)
                guard state.set(set, at: now) else {
                    throw CommandFailure(
                        .rejected, "nothing was changed: \(AppConfigurationState.maximumModes) devices have a mode")
                }
                let end = mode == .pin ? "" : " until \(RFC3339.format(set.until))"
                let entry = LedgerChange(
                    at: now, operatorName: author, action: .setPinMode, subject: set.device.description,
                    detail: mode.rawValue + end)
                return (former, mode == .pin && former == nil ? [] : [entry])
            }.get()
        }
        let before = former.map { "; it had \($0.mode.rawValue) until \(RFC3339.format($0.until))" } ?? ""
        guard mode != .pin else {
            return try Console.print(
                escaping: "\(set.device) has \(former == nil ? "no mode" : "its pins again")\(before)")
        }
        try Console.print(
            escaping: "\(set.device): \(mode.rawValue) until \(RFC3339.format(set.until))\(before)")
    }

    private static func mode(_ text: String) throws -> PinMode {
        guard let mode = PinMode(rawValue: text) else {
            throw ValidationError("expected unpin, block, blockAll or pin, found \(text.excerpt)")
        }
        return mode
    }
}

/// The device whose mode is set: as its evidence names it.
struct PinnedDeviceOptions: ParsableArguments {
    @Option(
        name: .customLong("key-id"), parsing: .unconditional,
        help: ArgumentHelp("The ID of its attested key, base64.", valueName: "key-id"),
        transform: SubjectOptions.keyID)
    var keyID: [UInt8]?

    @Option(help: ArgumentHelp("Its device ID, as in the evidence.", valueName: "name"))
    var device: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The thumbprint of the app's key, for evidence that names neither, such as Google's.",
            valueName: "thumbprint"))
    var jkt: String?

    func validate() throws {
        guard [keyID != nil, device != nil, jkt != nil].filter({ $0 }).count == 1 else {
            throw ValidationError("exactly one of --key-id, --device and --jkt is needed")
        }
        if let device, !(1...255).contains(device.utf8.count) {
            throw ValidationError("--device takes 1 to 255 bytes")
        }
        if let jkt, !JWKThumbprint.isThumbprint(jkt) {
            throw ValidationError("--jkt takes a thumbprint of RFC 7638, 43 characters of base64url")
        }
    }

    var subject: LedgerSubject {
        if let keyID { return LedgerSubject(keyID: keyID) }
        if let jkt { return LedgerSubject(keyThumbprint: jkt) }
        return LedgerSubject(.device, device ?? "")
    }
}

struct PinsModesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "modes",
        abstract: "Lists the devices with a mode, and the version of the configuration.",
        discussion: "Exit status: 0, 3 an outage or no ledger.")

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var options: LedgerOptions

    func run() async throws {
        let state = try await options.url.withLedger(creating: false) { open in
            try await LedgerRegister<AppConfigurationState>(in: open.ledger).content()
        }
        let now = Date()
        let modes = state.modes.filter { $0.isInForce(at: now) }
        if json {
            var object = JSONObject()
            object.add("version", raw: "\(state.version)")
            object.add("force", raw: "\(state.force)")
            object.add("modes", raw: JSONText.array(modes.map(\.json)))
            return try Console.print(object.text)
        }
        Console.note("version \(state.version), forced from version \(state.force)")
        guard !modes.isEmpty else { return Console.note("no device has a mode") }
        try Console.print(
            table: [["device", "mode", "until", "set by"]]
                + modes.map {
                    [$0.device.description, $0.mode.rawValue, RFC3339.format($0.until), $0.setBy ?? "-"]
                })
    }
}
