import Approov
import AssayCore

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

    static func violation(in bytes: [UInt8]) -> DecodeError? { nil }
}
