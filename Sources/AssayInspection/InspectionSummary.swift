import AssayCore

/// What a blob is, in at most five lines: what, whose app on which system, which key and device, when, and whether it is sound. The
/// tree of annotations has the details.
package struct InspectionSummary {
    /// The lines, without line ends.
    package private(set) var lines: [String] = []

    /// A fact: the first annotation with one of the names gives it.
    private struct Fact {
        let label: String
        let names: [String]
        /// The text of the fact; nil if the annotation says nothing.
        var text: @Sendable (Annotation) -> String? = { $0.value }
    }

    /// The facts by line.
    private static let facts: [[Fact]] = [
        [
            Fact(
                label: "app",
                names: ["[1204] App ID", "field 2, App ID", "package", "packageName", "requestPackageName"]),
            Fact(label: "environment", names: ["aaguid", "field 7, environment"]) {
                $0.name == "aaguid" ? environment($0) : $0.value
            },
            Fact(label: "OS", names: ["[1400] OS version", "[705] osVersion"]) {
                $0.meaning.flatMap(system) ?? $0.value
            },
            Fact(label: "build", names: ["[1403] OS build"]),
            Fact(label: "patch level", names: ["[706] osPatchLevel"]),
        ],
        [
            Fact(label: "key", names: ["credentialId", "keyId"]),
            Fact(label: "key held by", names: ["keyMintSecurityLevel"], text: beginning),
            Fact(label: "device", names: ["deviceRecognitionVerdict", "did"]) { $0.value ?? elements($0) },
            Fact(label: "boot state", names: ["verifiedBootState"]) { $0.meaning },
            Fact(label: "counter", names: ["counter"]),
            Fact(label: "challenge", names: ["attestationChallenge"]),
        ],
        [
            Fact(
                label: "made",
                names: ["field 12, creation time", "[701] creationDateTime", "timestampMillis", "iat", "receivedAt"],
                text: time),
            Fact(label: "receipt until", names: ["field 21, expiration time"], text: time),
            Fact(label: "until", names: ["exp"], text: time),
        ],
    ]

    package init(_ layer: InspectionLayer) {
        var inner = layer
        var around: [String] = []
        while inner.nested.count == 1, Self.isEncoding(inner), let only = inner.nested.first {
            around.append(only.encoding ?? inner.format ?? "")
            inner = only
        }
        let what = inner.format ?? "unknown bytes"
        let length = Words.count(inner.bytes.count, "byte")
        let contents = Self.contents(of: inner)
        lines.append(
            "\(what), \(length)" + (around.isEmpty ? "" : ", in \(around.joined(separator: " around "))")
                + (contents.isEmpty ? "" : ", with \(contents.joined(separator: ", "))"))
        var finder = Finder()
        finder.visit(layer)
        for group in Self.facts {
            let parts = group.compactMap { fact -> String? in
                let found = fact.names.lazy.compactMap { finder.found[$0] }.first
                return found.flatMap(fact.text).flatMap { Self.value($0) }.map { "\(fact.label) \($0)" }
            }
            if !parts.isEmpty { lines.append(parts.joined(separator: ", ")) }
        }
        if let (name, violation) = finder.violation {
            let field = violation.field.isEmpty ? "" : "\(violation.field): "
            lines.append("not sound: \(name), byte \(violation.offset): \(field)\(violation.message)")
        } else if let (name, fault) = finder.fault {
            lines.append("not sound: \(name): \(fault)")
        } else if lines.count > 1 || !inner.nested.isEmpty {
            lines.append("sound, as far as it was decoded; no signature was checked")
        }
    }

    /// The formats of the blobs in a layer, each once, at most three.
    private static func contents(of layer: InspectionLayer) -> [String] {
        var names: [String] = []
        for inner in layer.nested.prefix(50) {
            var inner = inner
            while isEncoding(inner), let next = inner.nested.first { inner = next }
            if let name = inner.format, !names.containsBytes(of: name) { names.append(name) }
        }
        return names.count > 3 ? names.prefix(3) + ["others"] : names
    }

    private static func isEncoding(_ layer: InspectionLayer) -> Bool {
        Inspector.encodings.contains { $0.name == layer.format }
    }

    /// The value without quotes, cut; nil for a hidden one.
    private static func value(_ text: String) -> String? {
        guard !text.isEmpty, text != "(not shown)" else { return nil }
        let plain =
            text.utf8.count > 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
            ? String(text.dropFirst().dropLast()) : text
        return plain.excerpt
    }

    /// `production` of the meaning of an AAGUID; nil for one that is not App Attest's.
    @Sendable private static func environment(_ annotation: Annotation) -> String? {
        beginning(annotation).flatMap { words in
            AttestEnvironment.allCases.first { words.contains($0.rawValue) }?.rawValue
        }
    }

    /// What stands in front of the first colon of the meaning.
    @Sendable private static func beginning(_ annotation: Annotation) -> String? {
        annotation.meaning.map { String($0.prefix { $0 != ":" }) }
    }

    /// `Android 16.0.0` of the meaning of Android's number.
    private static func system(_ meaning: String) -> String? {
        meaning.firstRange(of: ": Android ").map { "Android \(meaning[$0.upperBound...])" }
    }

    /// The time in RFC 3339: the value, or at the beginning or the end of the meaning.
    @Sendable private static func time(_ annotation: Annotation) -> String? {
        let words = [annotation.value, annotation.meaning].compactMap(\.self).flatMap {
            $0.split { " ,\"".contains($0) }
        }
        return words.first { RFC3339.parse(String($0)) != nil }.map(String.init)
    }

    /// The elements of a short array.
    @Sendable private static func elements(_ annotation: Annotation) -> String? {
        let values = annotation.children.prefix(4).compactMap(\.value).compactMap { value($0) }
        return values.isEmpty ? nil : values.joined(separator: " ")
    }

    /// Collects the first annotation of each name, and the first violation.
    private struct Finder {
        var found: [String: Annotation] = [:]
        var violation: (name: String, error: DecodeError)?
        /// The first fault of a part, such as spaces in base64.
        var fault: (name: String, text: String)?
        private static let names = Set(InspectionSummary.facts.joined().flatMap(\.names))
        /// The most annotations that are looked at.
        private var budget = 100_000

        mutating func visit(_ layer: InspectionLayer) {
            if violation == nil, let error = layer.violation { violation = (layer.format ?? layer.name, error) }
            for annotation in layer.annotations { visit(annotation) }
            for inner in layer.nested { visit(inner) }
        }

        private mutating func visit(_ annotation: Annotation) {
            budget -= 1
            guard budget > 0 else { return }
            if fault == nil, let text = annotation.violation { fault = (annotation.name, text) }
            if !annotation.isSecret, Self.names.contains(annotation.name), found[annotation.name] == nil {
                found[annotation.name] = annotation
            }
            for child in annotation.children { visit(child) }
        }
    }
}
