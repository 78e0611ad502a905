import AssayCore
import AssayPrimitives
import RawStructuredFieldValues

extension FuzzTarget {
    /// Structured fields against swift-http-structured-headers, in both directions. Of duplicate keys, the last counts
    /// in both.
    ///
    /// ``StructuredFieldComparison`` declares where they may differ.
    static let structuredFieldAndPeer = FuzzTarget(
        name: "structured-field-peer", maximumLength: 256, dictionary: structuredField.dictionary,
        seeds: structuredField.seeds,
        run: { input in
            let comparisons = StructuredFieldComparison.Kind.allCases.map { StructuredFieldComparison($0, input) }
            if let disagreement = comparisons.first(where: \.isDisagreement) { broken("\(disagreement)") }
            return comparisons.contains { $0.ours != nil }
        })
}

/// The results of Assay and of swift-http-structured-headers for one field. Of duplicate keys, the last counts.
///
/// Declared differences: Assay demands canonical base64, which RFC 9651 section 4.2.7 leaves open and the peer leaves
/// to its callers. Assay also applies size limits, which are the minimum that section 3 requires.
private struct StructuredFieldComparison: CustomStringConvertible {
    /// The type of a field (RFC 9651 section 3).
    enum Kind: CaseIterable {
        /// An Item.
        case item
        /// A List.
        case list
        /// A Dictionary.
        case dictionary
    }

    /// Assay's value, serialised again; nil if Assay refuses the field.
    let ours: [UInt8]?
    /// The peer's value, serialised again; nil if the peer refuses the field.
    let theirs: [UInt8]?
    /// Whether Assay refuses the field because of base64 that is not canonical.
    let hasStrayBase64: Bool
    /// Whether the results differ in a way that is not declared.
    let isDisagreement: Bool
    /// Both results.
    let description: String

    /// Reads a field with both.
    init(_ kind: Kind, _ bytes: [UInt8]) {
        let (ours, error) = Self.ours(kind, bytes)
        let theirs = Self.theirs(kind, bytes)
        let differ = ours != theirs && error?.reason != .tooLarge
        (self.ours, self.theirs) = (ours, theirs)
        hasStrayBase64 = differ && error.map { Self.hasStrayBase64(at: $0.offset, bytes) } ?? false
        isDisagreement = differ && !hasStrayBase64
        description =
            "\(kind): \(ours.map { String(decoding: $0, as: UTF8.self) } ?? "\(error as Any)") here, "
            + "\(theirs.map { String(decoding: $0, as: UTF8.self) } ?? "refused") there"
    }

    /// Assay's value, serialised again; or the error.
    private static func ours(_ kind: Kind, _ bytes: [UInt8]) -> ([UInt8]?, DecodeError?) {
        do throws(DecodeError) {
            switch kind {
            case .item:
                let item = try StructuredFieldReader.readItem(bytes[...], duplicates: .lastWins)
                return (try? StructuredFieldWriter.write(item), nil)
            case .list:
                let list = try StructuredFieldReader.readList(bytes[...], duplicates: .lastWins)
                return (try? StructuredFieldWriter.write(list), nil)
            case .dictionary:
                let dictionary = try StructuredFieldReader.readDictionary(bytes[...], duplicates: .lastWins)
                return (try? StructuredFieldWriter.write(dictionary), nil)
            }
        } catch {
            return (nil, error)
        }
    }

    /// The peer's value, serialised again; nil if the peer refuses the field.
    private static func theirs(_ kind: Kind, _ bytes: [UInt8]) -> [UInt8]? {
        var parser = StructuredFieldValueParser(bytes)
        var serializer = StructuredFieldValueSerializer()
        switch kind {
        case .item: return (try? parser.parseItemFieldValue()).flatMap { try? serializer.writeItemFieldValue($0) }
        case .list: return (try? parser.parseListFieldValue()).flatMap { try? serializer.writeListFieldValue($0) }
        case .dictionary:
            return (try? parser.parseDictionaryFieldValue()).flatMap { try? serializer.writeDictionaryFieldValue($0) }
        }
    }

    /// Whether an error is about a byte sequence that consists of base64 characters and is not canonical.
    private static func hasStrayBase64(at offset: Int, _ bytes: [UInt8]) -> Bool {
        let colon = UInt8(ascii: ":")
        guard let end = bytes[min(offset, bytes.count)...].firstIndex(of: colon),
            let start = bytes[..<min(offset, end)].lastIndex(of: colon)
        else { return false }
        let text = String(decoding: bytes[start + 1..<end], as: UTF8.self)
        let isOfAlphabet = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+/=".contains($0)) }
        return isOfAlphabet && (try? Base64.decode(text, .standard)) == nil
    }
}
