import AndroidKey
import AssayCore
import FoundationEssentials

/// Annotates the key attestation extension: every field and tag with its name, its value and its list.
enum KeyDescriptionAnnotator {
    private static let names = [
        "attestationVersion", "attestationSecurityLevel", "keyMintVersion", "keyMintSecurityLevel",
        "attestationChallenge", "uniqueId", "softwareEnforced", "hardwareEnforced",
    ]

    static func annotate(_ node: DERNode, _ bytes: [UInt8]) -> [Annotation] {
        var annotations = node.children.enumerated().map { index, child in
            guard names.indices.contains(index) else {
                var annotation = DERAnnotator.annotate(child, in: bytes)
                annotation.violation = annotation.violation ?? "a KeyDescription has 8 fields, this is one more"
                return annotation
            }
            var annotation = DERAnnotator.annotate(child, named: names[index], in: bytes)
            describe(&annotation, child, at: index, bytes)
            return annotation
        }
        if node.children.count < names.count {
            annotations.append(
                Annotation("KeyDescription", violation: "it has \(node.children.count) fields, expected \(names.count)")
            )
        }
        return annotations
    }

    private static func describe(_ annotation: inout Annotation, _ node: DERNode, at index: Int, _ bytes: [UInt8]) {
        switch index {
        case 0: annotation.meaning = number(node, bytes).map(androidVersion)
        case 1, 3:
            let what = index == 1 ? "where the attestation was made" : "where the key is kept"
            annotation.value = number(node, bytes).map { "\($0)" }
            annotation.meaning =
                number(node, bytes).map {
                    "\(AuthorizationMeaning.name($0, ["software", "trustedEnvironment", "strongBox"])): \(what)"
                }
        case 4: annotation.meaning = "what the app gave to setAttestationChallenge"
        case 5: annotation.meaning = "an identifier for system apps; empty for others"
        case 6, 7:
            annotation.meaning =
                index == 6
                ? "claims of the operating system: worth as much as its verified boot"
                : "what the secure hardware enforces"
            annotation.children = node.children.map { tag($0, bytes) }
        default: break
        }
    }

    private static func androidVersion(_ version: UInt64) -> String {
        switch version {
        case 1: "Android 7"
        case 2: "Android 8"
        case 3: "Android 9"
        case 4: "Android 10 or 11"
        case 100: "Android 12"
        case 200: "Android 13"
        case 300: "Android 14"
        case 400: "Android 16"
        case 500: "Android 17"
        default: version > 500 ? "later than Android 17; read as 500" : "not documented"
        }
    }

    private static func tag(_ node: DERNode, _ bytes: [UInt8]) -> Annotation {
        guard node.tagClass == .contextSpecific, let number = UInt32(exactly: node.tagNumber) else {
            return DERAnnotator.annotate(node, in: bytes)
        }
        let known = AuthorizationTag.known(number)
        let name = "[\(number)] \(known?.name ?? "unknown")"
        guard let inner = node.children.first, node.children.count == 1 else {
            return DERAnnotator.annotate(node, named: name, in: bytes)
        }
        var annotation = DERAnnotator.annotate(inner, named: name, in: bytes)
        annotation.range = node.range
        annotation.violation = annotation.violation ?? node.broken
        guard let known else {
            annotation.meaning = "a tag that Assay does not know"
            return annotation
        }
        annotation.meaning = known.meaning
        switch known.form {
        case .integer:
            if let value = Self.number(inner, bytes), let meaning = AuthorizationMeaning.text(number, value) {
                annotation.meaning = "\(known.meaning): \(meaning)"
            }
        case .integers:
            let values = inner.children.compactMap { Self.number($0, bytes) }
            annotation.value = values.map { "\($0)" }.joined(separator: ", ")
            let meanings = values.map { AuthorizationMeaning.text(number, $0) ?? "\($0)" }.joined(separator: ", ")
            annotation.meaning = "\(known.meaning): \(meanings)"
            annotation.children = []
        case .null: annotation.value = nil
        case .octets: if number != AuthorizationTag.attestationApplicationID { text(&annotation, inner, bytes) }
        case .rootOfTrust: rootOfTrust(&annotation, inner, bytes)
        }
        if number == AuthorizationTag.attestationApplicationID { application(&annotation, inner, bytes) }
        return annotation
    }

    private static func rootOfTrust(_ annotation: inout Annotation, _ node: DERNode, _ bytes: [UInt8]) {
        let names = ["verifiedBootKey", "deviceLocked", "verifiedBootState", "verifiedBootHash"]
        let meanings = [
            "SHA-256 of the key that verified the system", "whether the boot loader is locked", nil,
            "the digest of everything that verified boot covers",
        ]
        annotation.children = node.children.enumerated().map { index, child in
            guard names.indices.contains(index) else { return DERAnnotator.annotate(child, in: bytes) }
            var field = DERAnnotator.annotate(child, named: names[index], in: bytes)
            field.meaning = meanings[index]
            if index == 2, let state = number(child, bytes) {
                field.value = "\(state)"
                field.meaning = AuthorizationMeaning.name(state, ["verified", "selfSigned", "unverified", "failed"])
            }
            return field
        }
    }

    /// The DER inside of tag 709.
    private static func application(_ annotation: inout Annotation, _ node: DERNode, _ bytes: [UInt8]) {
        guard node.isUniversal(4), let inner = LenientDER.readOne(bytes[node.contents])?.node, inner.isUniversal(16)
        else { return }
        annotation.value = nil
        annotation.children = []
        for package in inner.children.first?.children ?? [] {
            var field = DERAnnotator.annotate(package, named: "package", in: bytes)
            if package.children.count == 2 {
                text(&field, package.children[0], bytes)
                field.meaning = number(package.children[1], bytes).map { "version code \($0)" }
                field.children = []
            }
            annotation.children.append(field)
        }
        for digest in inner.children.dropFirst().first?.children ?? [] {
            var field = DERAnnotator.annotate(digest, named: "certificate digest", in: bytes)
            field.meaning = "SHA-256 of a certificate that the app is signed with"
            annotation.children.append(field)
        }
    }

    /// Shows octets that are printable text as such.
    private static func text(_ annotation: inout Annotation, _ node: DERNode, _ bytes: [UInt8]) {
        guard let text = LenientText.printable(bytes[node.contents]) else { return }
        annotation.value = "\"\(text)\""
        annotation.children = []
    }

    private static func number(_ node: DERNode, _ bytes: [UInt8]) -> UInt64? {
        let contents = bytes[node.contents].drop { $0 == 0 }
        guard node.broken == nil, !node.isConstructed, contents.count <= 8, node.contents.count > 0 else { return nil }
        return contents.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// What the numbers of tags mean.
enum AuthorizationMeaning {
    private static let digests = ["none", "MD5", "SHA-1", "SHA-224", "SHA-256", "SHA-384", "SHA-512"]

    /// The meaning of a number under a tag; nil if it stands for itself.
    static func text(_ tag: UInt32, _ number: UInt64) -> String? {
        switch tag {
        case 1: name(number, ["encrypt", "decrypt", "sign", "verify", "4", "wrapKey", "agreeKey", "attestKey"])
        case 2: [1: "RSA", 3: "EC", 4: "ML-DSA", 32: "AES", 33: "3DES", 128: "HMAC"][number] ?? "unknown"
        case 4: [1: "ECB", 2: "CBC", 3: "CTR", 32: "GCM"][number] ?? "unknown"
        case 5, 203: name(number, digests)
        case 6:
            [1: "none", 2: "OAEP", 3: "PKCS#1 encryption", 4: "PKCS#1 signature", 5: "PSS", 64: "PKCS#7"][number]
                ?? "unknown"
        case 10: name(number, ["P-224", "P-256", "P-384", "P-521", "Curve 25519"])
        case 504: name(number, ["none", "password", "biometric", "password or biometric"])
        case 701: time(number)
        case 702: name(number, ["generated", "derived", "imported", "reserved", "securelyImported"])
        case 705: number == 0 ? "a development board" : "Android \(AndroidVersion(number: number))"
        case 706, 718, 719: number == 0 ? "not said" : nil
        default: nil
        }
    }

    /// The name at a number; `unknown` beyond them.
    static func name(_ number: UInt64, _ names: [String]) -> String {
        Int(exactly: number).flatMap { names.indices.contains($0) ? names[$0] : nil } ?? "unknown"
    }

    private static func time(_ milliseconds: UInt64) -> String? {
        guard milliseconds < 253_402_300_800_000 else { return nil }
        return RFC3339.format(Date(timeIntervalSince1970: Double(milliseconds) / 1000))
    }
}
