import AssayCore
import AssayHTTPSignatures
import AssayPrimitives
import RawStructuredFieldValues

extension FuzzTarget {
    /// Structured fields against swift-http-structured-headers, in both directions, with the last of equal keys counting
    /// as there.
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

/// What ours and swift-http-structured-headers make of one structured field, the last of equal keys counting.
///
/// Declared: ours demands canonical base64, which RFC 9651 section 4.2.7 leaves open and the other one leaves to its
/// callers; and ours has the limits that section 3 demands at least.
private struct StructuredFieldComparison: CustomStringConvertible {
    /// What a field is read as (RFC 9651 section 3).
    enum Kind: CaseIterable {
        /// An Item.
        case item
        /// A List.
        case list
        /// A Dictionary.
        case dictionary
    }

    /// What ours reads, written again; nil for what it refuses.
    let ours: [UInt8]?
    /// What the other one reads, written again; nil for what it refuses.
    let theirs: [UInt8]?
    /// Whether ours refuses it for base64 that is not canonical.
    let hasStrayBase64: Bool
    /// Whether they differ, and not as declared.
    let isDisagreement: Bool
    /// Both answers.
    let description: String

    /// Has both read a field.
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

    /// What ours reads, written again; or why it is refused.
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

    /// What the other one reads, written again; nil for what it refuses.
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

    /// Whether an error is about a byte sequence that is made of the letters of base64 and is not canonical.
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
