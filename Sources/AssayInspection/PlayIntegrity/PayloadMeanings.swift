import AssayCore
import FoundationEssentials
import PlayIntegrity

/// The meanings of payload fields, from Google's API description (revision 20260910).
enum PayloadMeanings {
    /// The meaning of a field, by its path in the payload; nil if undocumented.
    static func meaning(of path: [String], _ node: JSONNode) -> String? {
        var names = path
        // A list element has the meaning of its list.
        if let last = names.last, names.count > 1, Int(last) != nil { names.removeLast() }
        let dotted = names.joined(separator: ".")
        if let field = LabelField(rawValue: dotted) {
            guard let text = node.text else { return fields[dotted] }
            return field.meanings.first { $0.label.isByteEqual(to: text) }?.meaning ?? "not a documented word"
        }
        switch dotted {
        case "requestDetails.nonce": return node.text.map(nonce) ?? fields[dotted]
        case "requestDetails.timestampMillis": return time(node).map { "\($0); when the token was made" }
        case "requestDetails.requestTime":
            return node.text.flatMap { RFC3339.parse($0) }.map { "\(TimeWords.describe($0)); when the token was made" }
        case "appIntegrity.certificateSha256Digest": return node.text.map(digest) ?? fields[dotted]
        case "deviceIntegrity.deviceAttributes.sdkVersion": return version(node)
        default: break
        }
        if dotted.utf8.starts(with: "deviceIntegrity.deviceRecall.writeDates.".utf8) { return month(node) }
        return fields[dotted] ?? "unknown field: not in Google's description of the API, tolerated"
    }

    private static let fields: [String: String] = [
        "": "the payload of an integrity token",
        "requestDetails": "the request that the token answers",
        "requestDetails.requestPackageName": "the app that asked, as its device says",
        "requestDetails.nonce": "the nonce of a classic request",
        "requestDetails.requestHash": "the hash that a standard request was made with; compared exactly",
        "appIntegrity": "the app that asked; empty when it was not evaluated",
        "appIntegrity.packageName": "the package name that Google Play has seen",
        "appIntegrity.versionCode": "the version code of the app",
        "appIntegrity.certificateSha256Digest": "SHA-256 of the signing certificates",
        "deviceIntegrity": "the device that asked",
        "deviceIntegrity.deviceRecognitionVerdict": "what the device meets; missing when it meets nothing",
        "deviceIntegrity.legacyDeviceRecognitionVerdict": "what it met by the rules before May 2025",
        "deviceIntegrity.recentDeviceActivity": "how many tokens the device asked for lately",
        "deviceIntegrity.deviceAttributes": "attributes of the device",
        "deviceIntegrity.deviceRecall": "three bits that the app's owner keeps with a device, also over a reset",
        "deviceIntegrity.deviceRecall.values": "the bits",
        "deviceIntegrity.deviceRecall.writeDates": "when each bit was set",
        "deviceIntegrity.deviceRecall.values.bitFirst": "set by the app's owner, who knows what for",
        "deviceIntegrity.deviceRecall.values.bitSecond": "set by the app's owner, who knows what for",
        "deviceIntegrity.deviceRecall.values.bitThird": "set by the app's owner, who knows what for",
        "accountDetails": "the user's account",
        "environmentDetails": "what else is on the device",
        "environmentDetails.appAccessRiskVerdict": "what other apps could do to this one; empty when not evaluated",
        "environmentDetails.appAccessRiskVerdict.appsDetected": "screen readers show up here too",
        "environmentDetails.locationSpoofingRiskVerdict": "how far the location can be trusted",
        "testingDetails": "there for testers whom the console's owner chose",
        "testingDetails.isTestingResponse": "true: the answer was made up in the console and is never genuine",
    ]

    private static func nonce(_ text: String) -> String {
        guard let bytes = AnyBase64.decode(text) else { return "the nonce of a classic request; it is no base64" }
        return "the nonce of a classic request, \(Words.count(bytes.count, "byte")): "
            + (LenientText.printable(bytes).map { "\"\($0)\"" } ?? Hexadecimal.text(bytes))
    }

    private static func time(_ node: JSONNode) -> String? {
        let digits: String
        switch node.content {
        case .text(let text), .number(let text): digits = text
        default: return nil
        }
        guard let milliseconds = Int64(digits), abs(milliseconds) < 253_402_300_800_000 else {
            return "no count of milliseconds since 1970"
        }
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        return "\(RFC3339.format(date)), \(TimeWords.describe(date))"
    }

    private static func digest(_ text: String) -> String {
        guard let bytes = AnyBase64.decode(text) else { return "no base64url" }
        let digest = Hexadecimal.text(bytes)
        return "SHA-256 of a signing certificate, in hexadecimal \(digest)"
            + (bytes.count == 32 ? "" : "; \(Words.count(bytes.count, "byte")) are no SHA-256")
    }

    /// The Android version of an SDK version (Android, Build.VERSION_CODES).
    private static func version(_ node: JSONNode) -> String {
        let names: [Int: String] = [
            21: "5.0", 22: "5.1", 23: "6", 24: "7.0", 25: "7.1", 26: "8.0", 27: "8.1", 28: "9", 29: "10", 30: "11",
            31: "12", 32: "12L", 33: "13", 34: "14", 35: "15", 36: "16",
        ]
        guard case .number(let text) = node.content, let version = Int(text) else {
            return "the SDK version of Android"
        }
        return names[version].map { "Android \($0)" } ?? "an SDK version of Android"
    }

    private static func month(_ node: JSONNode) -> String {
        guard case .number(let text) = node.content, let number = Int(text), (1...12).contains(number % 100),
            (1970...9999).contains(number / 100)
        else { return "a month as yyyymm" }
        let month = number % 100
        return "in \(number / 100)-\(month < 10 ? "0" : "")\(month), the month in which it was set"
    }
}
