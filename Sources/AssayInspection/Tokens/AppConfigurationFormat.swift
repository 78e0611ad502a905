import Assay
import AssayPrimitives
import AssayTokens

/// The signed configuration of an app: a JWS of the type `assay-configuration+jwt`.
enum AppConfigurationFormat: BlobFormat {
    static let name = "Assay configuration of an app"

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        JWSFormat.recognise(bytes, ofType: AppConfigurationClaims.type)
    }

    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        var contents = JWSFormat.annotate(bytes)
        contents.nested = contents.nested.map { nested in
            // The payload, and not parts of the header.
            nested.format == nil && nested.bytes.first == UInt8(ascii: "{")
                ? NestedBlob(
                    nested.name, encoding: nested.encoding, bytes: nested.bytes,
                    format: AppConfigurationClaimsFormat.self,
                    at: nested.range) : nested
        }
        contents.unknown = [
            "whether an app takes it over: a key of the configuration that the app has must have signed it, for the same `iss` and "
                + "`aud`, and with a greater `version`"
        ]
        return contents
    }

    static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) {
        _ = try CompactJWS(LenientText.trimmed(bytes[...]), limit: AppConfigurationClaims.maximumLength)
    }
}

/// The claims of an app's configuration.
private enum AppConfigurationClaimsFormat: BlobFormat {
    static let name = "claims of an app's configuration"

    /// Only the outer token tells that they are these.
    static func recognise(_ bytes: [UInt8]) -> Recognition? { nil }

    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        JSONFormat.annotate(bytes) { pointer, node in
            switch pointer {
            case "/iss": "the issuer of tokens"
            case "/aud": "the app, by its name in the policy"
            case "/version": "grows with every change of pins and keys; an app takes over none that is lower"
            case "/force": "apps with a lower version connect to no pinned host before they have this one; 0 for none"
            case "/pins": "by host; * for hosts without an entry; an empty list for a host that is not pinned"
            case "/keys": "the public keys that may sign this configuration and the next ones"
            case "/mode": PinMode(rawValue: node.text ?? "").map(meaning) ?? "no mode that is known here"
            case "/did": "the device that the mode is for"
            case "/iat": time(node).map { "signed at \($0)" }
            case "/exp": time(node).map { "the mode ends at \($0)" }
            default: pointer.hasSuffix("/notBefore") || pointer.hasSuffix("/notAfter") ? time(node) : nil
            }
        }
    }

    static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) { try JSONFormat.decodeStrictly(bytes) }

    private static func time(_ node: JSONNode) -> String? {
        guard case .number(let number) = node.content else { return nil }
        return EpochTime.seconds(number)
    }

    private static func meaning(of mode: PinMode) -> String {
        switch mode {
        case .pin: "the pins count"
        case .unpin: "no pins count: for tests of the app"
        case .block: "the app connects to no pinned host: for tests"
        case .blockAll: "the app connects to no pinned host, and not to its backend: for tests"
        }
    }
}
