import Approov
import ArgumentParser
import Assay
import AssayCore
import Foundation

/// Whom a block or an allowance is about.
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

    /// Notes a name that no evidence is likely to have, so that a slip does not pass for a block.
    func noteUnlikelyName() {
        guard let device = named.device, !DeviceIDText.isValid(device) else { return }
        Console.note(
            "\(device.excerpt) is no device ID of Approov, which is base64 of 16 bytes with its padding; it holds only for "
                + "evidence that names a device just so")
    }

    /// The subject.
    var subject: LedgerSubject {
        if let keyID { return KeyIdentifier.appAttest(keyID).subject }
        return named.given.first ?? LedgerSubject(.account, "")
    }

    /// The 32 bytes of a key ID.
    static func keyID(_ text: String) throws -> [UInt8] {
        let bytes = try ValueArgument.base64(text)
        guard bytes.count == 32 else { throw ValidationError("a key ID has 32 bytes, found \(bytes.count)") }
        return bytes
    }
}

/// Subjects that have a name.
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

    /// Those that are named.
    var given: [LedgerSubject] {
        [
            device.map { LedgerSubject(.device, $0) }, account.map { LedgerSubject(.account, $0) },
            issuer.map { LedgerSubject(.issuer, $0) },
        ].compactMap { $0 }
    }
}

/// When a block or an allowance ends.
struct StandingEndOptions: ParsableArguments {
    @Option(help: ArgumentHelp("When it ends (RFC 3339).", valueName: "time"), transform: TimeArgument.time)
    var until: Date?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "The duration, such as 12h or 30d. Without --for and --until there is no end.", valueName: "duration"),
        transform: TimeArgument.duration)
    var duration: Double?

    func validate() throws {
        guard until == nil || duration == nil else { throw ValidationError("--until and --for exclude each other") }
        guard until.map({ $0 > Date() }) ?? true else { throw ValidationError("--until has passed already") }
    }

    /// Whether there is an end.
    var isGiven: Bool { until != nil || duration != nil }

    /// The end, if there is one.
    func time(from now: Date) -> Date? { until ?? duration.map(now.addingTimeInterval) }
}
