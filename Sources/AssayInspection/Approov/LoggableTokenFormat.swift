import Approov
import AssayCore

/// A loggable token, or the text that an app logs if it got no token.
enum LoggableTokenFormat: BlobFormat {
    static let name = "Approov loggable token"

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard ApproovText.isObject(bytes), let node = LenientJSON.read(bytes[...])?.node,
            case .object(let members) = node.content
        else { return nil }
        if let prefix = node["sip"]?.text, ApproovClaimsFormat.hasExpiry(node) {
            // Other JSON objects may have a `sip` too.
            let isFitting = prefix.utf8.count == LoggableToken.signaturePrefixLength
            return Recognition(
                isFitting ? .certain : .structure,
                because: "it is a JSON object with exp, and with sip in place of a signature")
        }
        guard members.count == 1, let status = node["error"]?.text, isStatus(status) else { return nil }
        return Recognition(.certain, because: "it is a JSON object with error \(status.excerpt) and nothing else")
    }

    private static func isStatus(_ text: String) -> Bool {
        text.isByteEqual(to: "JWE") || ApproovStatusWord(bytes: Array(text.utf8)[...]) != nil
    }

    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        var contents = JSONFormat.annotate(bytes) { pointer, node in
            guard pointer.isByteEqual(to: "/error"), let text = node.text else {
                return ClaimMeanings.meaning(of: pointer, node)
            }
            if text.isByteEqual(to: "JWE") { return "the token is encrypted, of which there is no loggable form" }
            return ApproovStatusWord(bytes: Array(text.utf8)[...])?.meaning ?? "why there was no token"
        }
        if LenientJSON.read(bytes[...])?.node["sip"] != nil {
            contents.unknown = [
                "whether the token was signed with the account's secret: six characters of the signature can be checked "
                    + "with it (`assay verify --kind approov.token`), and let no request in"
            ]
        }
        return contents
    }

    static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) {
        guard LenientJSON.read(bytes[...])?.node["sip"] != nil else { return }
        _ = try ClaimsReader.read(LoggableToken(String(decoding: bytes, as: UTF8.self)).claims)
    }
}

/// Measurements from a token. The dump reports them without their values.
enum MeasurementsFormat: BlobFormat {
    static let name = "measurements of an Approov token"
    private static let names = ["mpk", "imh", "dmh"]

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard ApproovText.isObject(bytes), case .object(let members)? = LenientJSON.read(bytes[...])?.node.content,
            !members.isEmpty, members.allSatisfy({ names.containsBytes(of: $0.key.text ?? "") })
        else { return nil }
        return Recognition(.certain, because: "it is a JSON object with mpk, imh or dmh and nothing else")
    }

    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        var contents = JSONFormat.annotate(bytes)
        contents.unknown = [
            "whether they are those of a genuine token: `assay verify --kind approov.proof` takes a token too"
        ]
        return contents
    }
}

/// The line that Approov's SDK logs at its start (Approov, Extracting the Device ID):
/// `... I/Approov: test-account, com.example.app, 2.5.0(2974), h4gubfCFzJu81j/U2BJsdg==`.
enum LogLineFormat: BlobFormat {
    static let name = "log line of Approov's SDK"

    private static let meanings = [
        ("account", "the name of the Approov account"), ("app", "the package name or the bundle identifier"),
        ("sdk", "the version and the build of the SDK"),
        ("deviceId", "the device ID, as in the claim did; `assay ledger show --device` prints its block or allowance"),
    ]

    /// The four values with their places; nil for another text.
    private static func values(in bytes: [UInt8]) -> [(range: Range<Int>, text: String)]? {
        let body = LenientText.body(bytes)
        guard body.count <= 1024, !body.contains(0x0A) else { return nil }
        // The time, the process and the tag before the values differ between systems.
        let tag = Array("Approov: ".utf8)
        var start = body.startIndex
        if body.count > tag.count {
            for index in body.indices.dropLast(tag.count) where body[index...].starts(with: tag) {
                start = index + tag.count
                break
            }
        }
        var values: [(range: Range<Int>, text: String)] = []
        for part in body[start...].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let value = part.drop { $0 == 0x20 }
            values.append((value.startIndex..<value.endIndex, String(decoding: value, as: UTF8.self)))
        }
        guard values.count == meanings.count, DeviceIDText.isValid(values[3].text), values[2].text.hasSuffix(")"),
            values[2].text.first?.isNumber ?? false, !values[0].text.isEmpty, values[1].text.contains(".")
        else { return nil }
        return values
    }

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        values(in: bytes).map { _ in
            Recognition(.certain, because: "it has an account, an app, a version of the SDK and a device ID")
        }
    }

    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        let found = values(in: bytes) ?? []
        return BlobContents(
            zip(meanings, found).map { meaning, value in
                Annotation(meaning.0, at: value.range, value: value.text, meaning: meaning.1)
            },
            unknown: ["whether the device runs this app: a log line is not signed, and is no evidence"])
    }
}
