package import AssayCore
import AssayPrimitives
package import AssayTokens
package import FoundationEssentials

/// The content of an app's signed configuration: a JWS of the type `assay-configuration+jwt`.
package struct AppConfigurationClaims: Sendable {
    /// `typ` of the header (RFC 8725 section 3.11).
    package static let type = "assay-configuration+jwt"
    /// The longest signed text in characters: about 3,000 pins. Kits accept up to a mebibyte.
    package static let maximumLength = 256 * 1024

    /// `iss`: the issuer of tokens.
    package var issuer: String
    /// `aud`: the policy's app.
    package var app: String
    /// `version`.
    package var version: Int64
    /// `force`: apps with a lower version must take this one over before they connect to a pinned host; 0 for none.
    package var force: Int64
    /// `pins`.
    package var pins: PinSet
    /// `keys`: those that sign this configuration and the next ones, the one that signs now first.
    package var keys: [TokenSigner]
    /// `mode`, `did` and `exp`; nil for an app without a mode.
    package var mode: DevicePinMode?

    /// The claims as JSON.
    package func json(at now: Date) -> [UInt8] {
        let issuedAt = now.timeIntervalSince1970.rounded(.down)
        var members: [(String, RecordValue.Content)] = [
            ("iss", .text(issuer)), ("aud", .text(app)), ("iat", Self.number(issuedAt)),
            ("version", .number("\(version)")), ("force", .number("\(force)")), ("pins", .object(pins.forApps)),
            ("keys", .array(keys.map { RecordValue(.object($0.publicKey), offset: 0) })),
        ]
        if let mode {
            let end = min(mode.until.timeIntervalSince1970, issuedAt + DevicePinMode.longestLife)
            members += [
                ("mode", .text(mode.mode.rawValue)), ("did", .text(mode.device.deviceName)), ("exp", Self.number(end)),
            ]
        }
        var bytes: [UInt8] = []
        RecordJSON.append(.object(RecordObject(members)), to: &bytes)
        return bytes
    }

    /// The signed text.
    package func signed(at now: Date) throws(AppConfigurationError) -> String {
        guard let signer = keys.first, let text = signer.sign(json(at: now), type: Self.type) else {
            throw .refused("the configuration could not be signed")
        }
        guard text.utf8.count <= Self.maximumLength else {
            throw .refused(
                "the configuration of app \(app.excerpt) has \(text.utf8.count) characters, and apps get at most "
                    + "\(Self.maximumLength): remove pins")
        }
        return text
    }

    private static func number(_ time: Double) -> RecordValue.Content { .number("\(Int64(time))") }
}

/// Why there is no configuration for an app.
package enum AppConfigurationError: Error, Sendable, CustomStringConvertible {
    /// The ledger or the key store does not answer.
    case outage(any Outage)
    /// What prevents it, and what to do.
    case refused(String)

    package var description: String {
        switch self {
        case .outage(let outage): outage.description
        case .refused(let message): message
        }
    }
}

extension PinSet {
    /// The pins as apps read them. A domain without pins of its own is left out where those of `*` count for it: for apps, an empty
    /// list means that the host is not pinned.
    fileprivate var forApps: RecordObject {
        let hasDefault = !(self[PinSet.everyDomain]?.pins.isEmpty ?? true)
        return RecordObject(
            domains.compactMap { domain in
                guard !domain.pins.isEmpty || !hasDefault && domain.name != PinSet.everyDomain else { return nil }
                return (domain.name, .array(domain.pins.map { RecordValue(.object($0.forApps), offset: 0) }))
            })
    }
}

extension Pin {
    /// A window has both ends in whole seconds.
    fileprivate var forApps: RecordObject {
        var members: [(String, RecordValue.Content)] = [("pin", .text(text))]
        if let notBefore {
            members.append(("notBefore", .number("\(Int64(notBefore.timeIntervalSince1970.rounded(.up)))")))
        }
        if let notAfter {
            members.append(("notAfter", .number("\(Int64(notAfter.timeIntervalSince1970.rounded(.down)))")))
        }
        return RecordObject(members)
    }
}
