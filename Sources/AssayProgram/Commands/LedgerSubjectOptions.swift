import ArgumentParser
import Assay
import AssayCore
import Foundation

/// Options that select the subject of a block or an allowance.
struct SubjectOptions: ParsableArguments {
    @Option(
        name: .customLong("key-id"), help: ArgumentHelp("A key ID, base64 of either alphabet.", valueName: "key-id"),
        transform: SubjectOptions.keyID)
    var keyID: [UInt8]?

    @OptionGroup var named: NamedSubjectOptions

    func validate() throws {
        guard (keyID == nil ? 0 : 1) + named.given.count == 1 else {
            throw ValidationError("exactly one of --key-id, --device, --account and --issuer is needed")
        }
    }

    /// Warns about a device ID in an unlikely form: a block on a mistyped ID has no effect.
    func noteUnlikelyName() {
        let forms = EngineRegistry.standard.deviceIDs
        guard let device = named.device, !forms.contains(where: { $0.isValid(device) }) else { return }
        let descriptions = forms.map(\.description).joined(separator: "; nor ")
        Console.note(
            "\(device.excerpt) is no device ID \(descriptions); it holds only for evidence that names a device just so")
    }

    /// The selected subject.
    var subject: LedgerSubject {
        if let keyID { return LedgerSubject(keyID: keyID) }
        return named.given.first ?? LedgerSubject(.account, "")
    }

    /// Decodes a key ID of 32 bytes from base64.
    static func keyID(_ text: String) throws -> [UInt8] {
        let bytes = try ValueArgument.base64(text)
        guard bytes.count == 32 else { throw ValidationError("a key ID has 32 bytes, found \(bytes.count)") }
        return bytes
    }
}

/// Options for subjects that are identified by name.
struct NamedSubjectOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A device ID, as in the evidence.", valueName: "name"))
    var device: String?

    @Option(help: ArgumentHelp("The name of an account in the backend.", valueName: "name"))
    var account: String?

    @Option(help: ArgumentHelp("The issuer of tokens, as in their claim iss.", valueName: "name"))
    var issuer: String?

    func validate() throws {
        guard given.allSatisfy({ !$0.name.isEmpty }) else {
            throw ValidationError("a device, an account or an issuer has a name")
        }
    }

    /// The subjects given by these options.
    var given: [LedgerSubject] {
        [
            device.map { LedgerSubject(.device, $0) }, account.map { LedgerSubject(.account, $0) },
            issuer.map { LedgerSubject(.issuer, $0) },
        ].compactMap { $0 }
    }
}

/// The end of a block or an allowance.
struct StandingEndOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("When it ends (RFC 3339), or never.", valueName: "time"), transform: StandingEnd.init)
    var until: StandingEnd?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "The duration, such as 12h, 3d12h or 1y.", valueName: "duration"),
        transform: TimeArgument.duration)
    var duration: Double?

    func validate() throws {
        guard until == nil || duration == nil else { throw ValidationError("--until and --for exclude each other") }
        guard case .at(let time) = until else { return }
        guard time > Date() else { throw ValidationError("--until has passed already") }
    }

    /// Whether an end is given.
    var isGiven: Bool { until != nil || duration != nil }

    /// The end; nil for no end.
    ///
    /// - Parameter standard: the default duration in seconds; nil for no end.
    func time(from now: Date, standard: Double?) -> Date? {
        switch until {
        case .at(let time): time
        case .never: nil
        case nil: (duration ?? standard).map(now.addingTimeInterval)
        }
    }
}

/// The value of `--until`.
enum StandingEnd {
    case never
    case at(Date)

    init(_ text: String) throws { self = text == "never" ? .never : .at(try TimeArgument.time(text)) }
}
