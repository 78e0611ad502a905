public import AssayCore
import AssayPrimitives

extension EvidenceKind {
    /// The statement of a device that it cannot give evidence. Nothing of it is proved.
    public static let noEvidence = EvidenceKind("none")
}

/// Why a device has no evidence, in its own words.
@nonexhaustive
public enum NoEvidenceReason: String, Sendable, CaseIterable {
    /// The platform says that this device or system cannot attest.
    case unsupported
    /// An Android device without Google's Play services.
    case noPlayServices = "no-play-services"
    /// A device whose keystore attests no keys.
    case noAttestationKeys = "no-attestation-keys"
    /// An app extension that may not attest.
    case `extension`
    /// The platform's calls failed up to the limit of the kit.
    case failed
}

/// What a device without evidence says, as its parts were sent.
public struct DeviceStatementInput: Sendable {
    /// A word of ``NoEvidenceReason``.
    public let reason: String
    /// The error of the platform, such as `dc:2` or `keystore:16`: 1 to 64 letters, digits and `:._-`; nil for none.
    public let code: String?
    /// The version of the app, of 1 to 64 printable ASCII characters; nil if the device names none.
    public let appVersion: String?
    /// The version of the operating system, of 1 to 64 printable ASCII characters; nil if the device names none.
    public let systemVersion: String?

    /// Composes a statement as it was sent.
    public init(reason: String, code: String? = nil, appVersion: String? = nil, systemVersion: String? = nil) {
        (self.reason, self.code, self.appVersion, self.systemVersion) = (reason, code, appVersion, systemVersion)
    }
}

/// The facts of a device without evidence: what it says of itself. The texts have no control characters.
public struct NoEvidenceSubject: EngineSubject, Equatable {
    /// Why it has no evidence.
    public let reason: NoEvidenceReason
    /// The error of the platform.
    public let code: String?
    /// The version of the app.
    public let appVersion: String?
    /// The version of the operating system.
    public let systemVersion: String?

    /// Reads a statement.
    ///
    /// - Throws: ``DecodeError`` for an unknown reason, and for texts that are too long or have other characters than allowed.
    init(_ input: DeviceStatementInput) throws(DecodeError) {
        guard let reason = NoEvidenceReason.allCases.first(where: { $0.rawValue.isByteEqual(to: input.reason) }) else {
            let known = NoEvidenceReason.allCases.map(\.rawValue).joined(separator: ", ")
            throw DecodeError(
                .unexpectedValue, at: 0, field: "reason", "expected one of \(known), found \"\(input.reason.excerpt)\"")
        }
        self.reason = reason
        code = try Self.text(input.code, "code", "letters, digits, : . _ and -", Self.isCodeByte)
        appVersion = try Self.text(input.appVersion, "appVersion", "printable ASCII characters", Self.isPrintable)
        systemVersion = try Self.text(
            input.systemVersion, "systemVersion", "printable ASCII characters", Self.isPrintable)
    }

    /// The longest text in bytes.
    static let longestText = 64

    private static func text(
        _ text: String?, _ field: String, _ allowed: String, _ isAllowed: (UInt8) -> Bool
    ) throws(DecodeError) -> String? {
        guard let text else { return nil }
        guard (1...longestText).contains(text.utf8.count) else {
            throw DecodeError(
                .unexpectedLength, at: 0, field: field, "expected 1 to \(longestText) bytes, found \(text.utf8.count)")
        }
        guard text.utf8.allSatisfy(isAllowed) else {
            throw DecodeError(.invalidText, at: 0, field: field, "expected \(allowed), found \"\(text.excerpt)\"")
        }
        return text
    }

    static func isPrintable(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) }

    private static func isCodeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: ":._-".utf8.contains(byte)
        }
    }

    /// False: any program can make the statement.
    package var isProven: Bool { false }

    /// The facts in reading order.
    public var fields: [SubjectField] {
        var fields = [SubjectField("reason", .text(reason.rawValue))]
        fields.add("code", text: code)
        fields.add("appVersion", text: appVersion)
        fields.add("systemVersion", text: systemVersion)
        return fields
    }
}

extension Verdict {
    /// What a device without evidence says of itself; nil for evidence.
    public var noEvidence: NoEvidenceSubject? { engineSubject as? NoEvidenceSubject }
}
