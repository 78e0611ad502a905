package import AssayCore

/// Identifies blobs, and decodes them layer by layer, such as base64 around CBOR, or a token in JSON. Verifies nothing and does not
/// fail: broken bytes are decoded as far as possible, in time and memory of a small multiple of the input.
package struct Inspector: Sendable {
    /// The maximum nesting depth of layers. A token in JSON in an HTTP request in base64 needs four.
    static let depth = 8
    /// The maximum number of layers in all.
    static let layers = 200
    /// The maximum total size of all layers, as a multiple of the input, and the least such maximum.
    static let growth = (factor: 4, minimum: 1 << 20)

    /// What was looked for, for messages about bytes in which nothing was found.
    package static let lookedFor =
        "looked for evidence, tokens, keys, certificates and records as they are; in base64, hexadecimal, dumps, lists of "
        + "numbers, escapes and compression; and inside of JSON, forms, HTTP, CBOR, protobuf, logs and other text"

    /// The formats that belong to no platform. If two fit equally well, the more specific one comes first.
    private static let general: [any BlobFormat.Type] = [
        OwnSecretFormat.self, PolicyFormat.self, VerdictFormat.self, UTF16Format.self, ByteListFormat.self,
        CompressedFormat.self, RecordFormat.self, HTTPDumpFormat.self,
        PEMFormat.self, JWSFormat.self, JWEFormat.self, JWTClaims.self,
        PrivateKeyFormat.self, WebAuthnObjectFormat.self, CMSFormat.self, CertificateFormat.self, PublicKeyFormat.self,
        CBORFormat.self,
        DERFormat.self, JSONFormat.self, FramedFormat.self, EscapedTextFormat.self, EvidenceTextFormat.self,
        HexDumpFormat.self, Base64Format.self,
    ]

    /// The formats with nothing of their own: what is in them counts, even if it is unknown.
    static let encodings: [any BlobFormat.Type] = [
        Base64Format.self, HexDumpFormat.self, UTF16Format.self, ByteListFormat.self, CompressedFormat.self,
        FramedFormat.self, EscapedTextFormat.self,
    ]

    private let engines: [any InspectableEngine.Type]
    private let formats: [any BlobFormat.Type]

    package init(engines: [any InspectableEngine.Type]) {
        self.engines = engines
        formats = engines.flatMap { $0.formats } + Self.general
    }

    /// Decodes bytes as far as possible. `encoding` is the one already removed, such as gzip; nil for the bytes of a file.
    package func inspect(_ bytes: [UInt8], name: String, encoding: String? = nil) -> InspectionLayer {
        var budget = Budget(
            layers: Inspector.layers, bytes: max(bytes.count * Inspector.growth.factor, Inspector.growth.minimum))
        let blob = NestedBlob(name, encoding: "", bytes: bytes)
        let guess = recognise(bytes)
        return layer(blob, encoding: encoding, guess: guess, depth: 1, &budget)
    }

    /// The record for a layer that can be judged without other inputs; nil for other layers. See
    /// `InspectableEngine.record(of:format:)`.
    package func record(of layer: InspectionLayer) -> EvidenceRecord? {
        for engine in engines {
            guard let format = engine.formats.first(where: { $0.name == layer.format }) else { continue }
            return engine.record(of: layer.bytes, format: format)
        }
        return nil
    }

    /// The kind of evidence to which a layer belongs; nil for none.
    package func kind(of layer: InspectionLayer) -> EvidenceKind? {
        for engine in engines {
            guard let format = engine.formats.first(where: { $0.name == layer.format }) else { continue }
            return engine.kind(of: format)
        }
        return nil
    }

    // MARK: Recognition

    private typealias Candidate = (format: any BlobFormat.Type, recognition: Recognition, isGeneral: Bool)

    /// The matching formats, the most certain first. Of equal ones, an engine's format comes first.
    private func recognise(_ bytes: [UInt8]) -> [Candidate] {
        let platforms = formats.count - Self.general.count
        let found = formats.enumerated().compactMap { index, format in
            format.recognise(bytes).map { (index: index, candidate: Candidate(format, $0, index >= platforms)) }
        }
        let sorted = found.sorted { left, right in
            let (first, second) = (left.candidate.recognition.certainty, right.candidate.recognition.certainty)
            return first == second ? left.index < right.index : first > second
        }
        return sorted.map(\.candidate)
    }

    // MARK: Layers

    private func layer(
        _ blob: NestedBlob, encoding: String?, guess: [Candidate], depth: Int, _ budget: inout Budget
    ) -> InspectionLayer {
        let best = guess.first
        // Any field may contain a pasted key.
        let isKey = blob.format != nil && PrivateKeys.describe(blob.bytes) != nil
        guard let format = isKey ? PrivateKeyFormat.self : blob.format ?? best?.format else {
            return UnknownBytes.layer(blob, encoding: encoding, formats: formats)
        }
        let contents =
            format == RecordFormat.self
            ? RecordAnnotator(engines: engines).contents(of: blob.bytes) : format.annotate(blob.bytes)
        let violation = format.violation(in: blob.bytes)
        var annotations = contents.annotations
        let own = contents.secrets + (blob.isCredential ? annotations.hideCredentials() : [])
        if let violation { annotations.mark(violation, count: blob.bytes.count) }
        var unknown = contents.unknown
        let isEncoding = Inspector.encodings.contains { $0 == format }
        let nested = layers(contents.nested, inEncoding: isEncoding, depth: depth, &budget, &unknown)
        let covered = nested.filter { !$0.layer.secrets.isEmpty }.map { $0.place ?? blob.bytes.indices }
        if !covered.isEmpty { annotations.hideValues(overlapping: covered) }
        return InspectionLayer(
            name: blob.name, encoding: encoding, format: format.name,
            recognition: blob.format == nil ? best?.recognition : nil,
            alternatives: blob.format == nil ? Inspector.alternatives(guess) : [], bytes: blob.bytes,
            annotations: annotations, secrets: own + covered, violation: violation, unknown: unknown,
            nested: nested.map(\.layer))
    }

    /// The layers of the blobs in a layer, within the budget.
    private func layers(
        _ blobs: [NestedBlob], inEncoding isEncoding: Bool, depth: Int, _ budget: inout Budget,
        _ unknown: inout [String]
    ) -> [(layer: InspectionLayer, place: Range<Int>?)] {
        var layers: [(layer: InspectionLayer, place: Range<Int>?)] = []
        for (index, blob) in blobs.enumerated() {
            guard depth < Inspector.depth else {
                unknown.append("\(blob.name) is not decoded: layers nest deeper than \(Inspector.depth)")
                break
            }
            guard budget.spend(blob.bytes.count) else {
                let more = blobs.count - index
                unknown.append(
                    "\(more) blob\(more == 1 ? "" : "s") from \(blob.name) on \(more == 1 ? "is" : "are") not decoded: at "
                        + "most \(Inspector.layers) are, of at most \(Inspector.growth.factor) times the bytes of the input"
                )
                break
            }
            let guess = blob.format == nil ? recognise(blob.bytes) : []
            // Skip text that only looks like base64, or that a format recognises by its length alone.
            let isFinding = blob.format != nil || isEncoding || (guess.first?.recognition.certainty ?? .guess) > .guess
            guard isFinding else { continue }
            let layer = layer(blob, encoding: blob.encoding, guess: guess, depth: depth + 1, &budget)
            layers.append((layer, blob.range))
        }
        return layers
    }

    /// The formats that are as certain and as general as the first. A platform's token that is also a JWE is not
    /// ambiguous.
    private static func alternatives(_ guess: [Candidate]) -> [InspectionLayer.Alternative] {
        guard let best = guess.first else { return [] }
        return guess.dropFirst()
            .filter { $0.recognition.certainty == best.recognition.certainty && $0.isGeneral == best.isGeneral }
            .map { InspectionLayer.Alternative(format: $0.format.name, recognition: $0.recognition) }
    }
}

/// The remaining budget of an inspection.
private struct Budget {
    var layers: Int
    var bytes: Int

    /// Deducts one layer from the budget; false if the budget is used up.
    mutating func spend(_ count: Int) -> Bool {
        guard layers > 1, bytes >= count else { return false }
        layers -= 1
        bytes -= count
        return true
    }
}

/// Inspected bytes and the result: the blob itself, or a blob decoded from it.
package struct InspectionLayer: Sendable {
    /// Another format that also fits the bytes.
    package struct Alternative: Sendable, Equatable {
        package let format: String
        /// The reason why it fits.
        package let recognition: Recognition
    }

    /// The name of the file, or of the `NestedBlob`.
    package let name: String
    /// How the outer layer encodes it; nil for the outermost layer, unless its file is compressed.
    package let encoding: String?
    /// The name of the format; nil if none was recognised.
    package let format: String?
    /// The reason for the format; nil if none was recognised, or if the outer layer determines it.
    package let recognition: Recognition?
    /// Other formats that were recognised with the same certainty.
    package let alternatives: [Alternative]
    /// The bytes to which the ranges of annotations refer.
    package let bytes: [UInt8]
    package var annotations: [Annotation]
    /// The ranges of secrets, such as private keys, and of inner layers with secrets. They must not be printed.
    package let secrets: [Range<Int>]
    /// The first error of strict decoding, with its offset in this layer.
    package let violation: DecodeError?
    /// The facts that the bytes alone do not determine.
    package let unknown: [String]
    package let nested: [InspectionLayer]
}
