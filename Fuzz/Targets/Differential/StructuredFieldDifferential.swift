import AssayCore
import AssayPrimitives
import RawStructuredFieldValues

extension FuzzTarget {
    /// Structured fields against swift-http-structured-headers, in both directions, with the last of equal keys counting
    /// as there.
    ///
    /// Declared: ours demands canonical base64, which RFC 9651 section 4.2.7 leaves open and the other one leaves to its
    /// callers; and ours has the limits that section 3 demands at least.
    static let structuredFieldAndPeer = FuzzTarget(
        name: "structured-field-peer", maximumLength: 256, dictionary: structuredField.dictionary,
        seeds: structuredField.seeds,
        run: { input in
            for kind in StructuredFieldPeer.Kind.allCases {
                let (ours, error) = StructuredFieldPeer.ours(kind, input)
                let theirs = StructuredFieldPeer.theirs(kind, input)
                if ours == theirs || error?.reason == .tooLarge { continue }
                if ours == nil, StructuredFieldPeer.hasStrayBase64(kind, input) { continue }
                broken(
                    "\(kind): \(ours.map { String(decoding: $0, as: UTF8.self) } ?? "\(error as Any)") here, "
                        + "\(theirs.map { String(decoding: $0, as: UTF8.self) } ?? "refused") there")
            }
        })
}

private enum StructuredFieldPeer {
    enum Kind: CaseIterable { case item, list, dictionary }

    /// What ours reads, written again; or why it is refused.
    static func ours(_ kind: Kind, _ bytes: [UInt8]) -> ([UInt8]?, DecodeError?) {
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
    static func theirs(_ kind: Kind, _ bytes: [UInt8]) -> [UInt8]? {
        var parser = StructuredFieldValueParser(bytes)
        var serializer = StructuredFieldValueSerializer()
        switch kind {
        case .item: return (try? parser.parseItemFieldValue()).flatMap { try? serializer.writeItemFieldValue($0) }
        case .list: return (try? parser.parseListFieldValue()).flatMap { try? serializer.writeListFieldValue($0) }
        case .dictionary:
            return (try? parser.parseDictionaryFieldValue()).flatMap { try? serializer.writeDictionaryFieldValue($0) }
        }
    }

    /// Whether the other one found a byte sequence that is not canonical base64.
    static func hasStrayBase64(_ kind: Kind, _ bytes: [UInt8]) -> Bool {
        var parser = StructuredFieldValueParser(bytes)
        let members: [ItemOrInnerList]?
        switch kind {
        case .item: members = (try? parser.parseItemFieldValue()).map { [.item($0)] }
        case .list: members = try? parser.parseListFieldValue()
        case .dictionary: members = (try? parser.parseDictionaryFieldValue())?.map { $0.1 }
        }
        var values: [RFC9651BareItem] = []
        func add(_ item: Item) { values += [item.rfc9651BareItem] + item.rfc9651Parameters.map { $0.1 } }
        for member in members ?? [] {
            switch member {
            case .item(let item): add(item)
            case .innerList(let list):
                list.bareInnerList.forEach(add)
                values += list.rfc9651Parameters.map { $0.1 }
            }
        }
        return values.contains { value in
            guard case .undecodedByteSequence(let text) = value else { return false }
            return (try? Base64.decode(text, .standard)) == nil
        }
    }
}
