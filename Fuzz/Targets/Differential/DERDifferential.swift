import AssayCore
import AssayPrimitives
import AssayTesting
import COpenSSL
import FoundationEssentials

extension FuzzTarget {
    /// DER against OpenSSL's reader of tags and lengths, and its readers of values, in both directions.
    ///
    /// If Assay reads an element, OpenSSL finds the same tag, form and length, at every level. OpenSSL's reader accepts
    /// BER. If it reads an element, Assay does too if the element is in DER: tag and length in their shortest form, of
    /// at most 31 bits and four bytes, and the form that DER prescribes for a universal type (X.690 sections 8.1, 10.1
    /// and 10.2).
    static let derAndOpenSSL = FuzzTarget(
        name: "der-openssl", maximumLength: 256, dictionary: der.dictionary,
        seeds: { try DERReading.seeds() },
        run: { input in
            defer { ERR_clear_error() }
            return DERComparison.compare(input[...], depth: 0)
        })
}

private enum DERComparison {
    /// Compares a sequence of elements, and the elements inside. Returns whether all were read.
    static func compare(_ bytes: ArraySlice<UInt8>, depth: Int) -> Bool {
        var isRead = true
        var reader = DERReader(bytes)
        while !reader.isAtEnd {
            let rest = bytes[reader.offset...]
            let theirs = OpenSSLHead(rest)
            let element: DERElement
            do throws(DecodeError) {
                element = try reader.read()
            } catch {
                FuzzTarget.require(theirs?.isStrict(rest) != true, "refused here, read by OpenSSL and strict: \(error)")
                return false
            }
            guard let theirs else { FuzzTarget.broken("read here and refused by OpenSSL: \(element)") }
            FuzzTarget.require(
                theirs.tag == element.tag && theirs.headLength == element.bytes.count - element.contents.count
                    && theirs.length == element.contents.count,
                "two elements: \(element), \(theirs)")
            DERValueComparison.compare(element)
            if element.tag.isConstructed, depth < 32 {
                isRead = compare(element.contents, depth: depth + 1) && isRead
            }
        }
        return isRead
    }
}

/// The head that OpenSSL reads at the beginning of some bytes.
private struct OpenSSLHead {
    let tag: ASN1Tag
    let headLength: Int
    /// The length of the contents; meaningless if the length is indefinite.
    let length: Int
    let isIndefinite: Bool

    init?(_ bytes: ArraySlice<UInt8>) {
        var (length, number, tagClass) = (0, CInt(0), CInt(0))
        var flags: CInt = 0x80
        var headLength = 0
        bytes.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            flags = ASN1_get_object(&cursor, &length, &number, &tagClass, buffer.count)
            if let start = buffer.baseAddress, let cursor { headLength = cursor - start }
        }
        guard flags & 0x80 == 0, number >= 0, let known = ASN1Tag.Class(rawValue: UInt8(tagClass & 0xC0)) else {
            return nil
        }
        tag = ASN1Tag(known, UInt32(number), constructed: flags & V_ASN1_CONSTRUCTED != 0)
        self.headLength = headLength
        self.length = length
        isIndefinite = flags & 1 != 0
    }

    /// Whether the bytes begin with the only head that DER allows for the element.
    func isStrict(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard !isIndefinite, tag != ASN1Tag(.universal, 0, constructed: tag.isConstructed) else { return false }
        // In the universal class, only EXTERNAL, EMBEDDED PDV, SEQUENCE and SET are constructed.
        if tag.tagClass == .universal, tag.isConstructed != [8, 11, 16, 17].contains(tag.number) { return false }
        let contents = Array(bytes.dropFirst(headLength).prefix(length))
        return DERReading.Node.primitive(tag, contents).encoded.starts(with: bytes.prefix(headLength))
    }
}

/// Compares the value of an element.
private enum DERValueComparison {
    static func compare(_ element: DERElement) {
        switch element.tag {
        case .integer: integer(element)
        case .objectIdentifier: objectIdentifier(element)
        case .bitString: bitString(element)
        case .utcTime, .generalizedTime: time(element)
        default: break
        }
    }

    /// If OpenSSL reads an element and writes the same bytes again, the element is in DER.
    private static func integer(_ element: DERElement) {
        let value = read(element) { d2i_ASN1_INTEGER(nil, &$0, $1) }
        defer { ASN1_INTEGER_free(value) }
        let isSame = written { i2d_ASN1_INTEGER(value, &$0) } == Array(element.bytes)
        let ours = try? element.integerBytes()
        FuzzTarget.require((ours != nil) == (value != nil && isSame), "an INTEGER differs: \(element)")
        var number: Int64 = 0
        guard let found = try? element.integer() else { return }
        FuzzTarget.require(ASN1_INTEGER_get_int64(&number, value) == 1 && number == found, "two INTEGERs: \(element)")
    }

    /// Only OpenSSL reads components of more than 63 bits; Assay refuses them.
    private static func objectIdentifier(_ element: DERElement) {
        let value = read(element) { d2i_ASN1_OBJECT(nil, &$0, $1) }
        defer { ASN1_OBJECT_free(value) }
        let ours: ObjectIdentifier
        do throws(DecodeError) {
            ours = try ObjectIdentifier(element)
        } catch {
            FuzzTarget.require(value == nil || error.reason == .tooLarge, "an OBJECT IDENTIFIER refused: \(error)")
            return
        }
        var text = [CChar](repeating: 0, count: 4096)
        let count = OBJ_obj2txt(&text, CInt(text.count), value, 1)
        FuzzTarget.require(
            count > 0 && String(decoding: text.prefix(Int(count)).map(UInt8.init), as: UTF8.self) == ours.description,
            "two OBJECT IDENTIFIERs: \(ours)")
    }

    /// OpenSSL clears unused bits: its output shows whether they were clear.
    private static func bitString(_ element: DERElement) {
        let value = read(element) { d2i_ASN1_BIT_STRING(nil, &$0, $1) }
        defer { ASN1_BIT_STRING_free(value) }
        let isSame = written { i2d_ASN1_BIT_STRING(value, &$0) } == Array(element.bytes)
        let ours = try? element.bitString()
        FuzzTarget.require((ours != nil) == (value != nil && isSame), "a BIT STRING differs: \(element)")
    }

    /// OpenSSL's reader of RFC 5280 times takes them as text.
    private static func time(_ element: DERElement) {
        let ours = try? element.time()
        let text = Array(element.contents)
        guard text.count == (element.tag == .utcTime ? 13 : 15), !text.contains(0) else {
            FuzzTarget.require(ours == nil, "a time of another length: \(element)")
            return
        }
        let value = ASN1_TIME_new()
        defer { ASN1_TIME_free(value) }
        let isTime = (text + [0]).withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { ASN1_TIME_set_string_X509(value, $0.baseAddress) == 1 }
        }
        FuzzTarget.require((ours != nil) == isTime, "a time differs: \(element)")
        guard let ours else { return }
        var fields = tm()
        FuzzTarget.require(ASN1_TIME_to_tm(value, &fields) == 1, "a time that OpenSSL cannot tell: \(element)")
        let days = RFC3339.daysSince1970(
            year: Int(fields.tm_year) + 1900, month: Int(fields.tm_mon) + 1, day: Int(fields.tm_mday))
        let seconds = ((days ?? 0) * 24 + Int(fields.tm_hour)) * 3600 + Int(fields.tm_min) * 60 + Int(fields.tm_sec)
        FuzzTarget.require(ours.timeIntervalSince1970 == Double(seconds), "two times: \(element)")
    }

    private static func read<Value>(
        _ element: DERElement, _ d2i: (inout UnsafePointer<UInt8>?, Int) -> Value?
    ) -> Value? {
        element.bytes.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return d2i(&cursor, buffer.count)
        }
    }

    private static func written(_ i2d: (inout UnsafeMutablePointer<UInt8>?) -> CInt) -> [UInt8]? {
        OpenSSLBytes.written(i2d)
    }
}

/// Bytes that OpenSSL writes into its own memory.
enum OpenSSLBytes {
    static func written(_ i2d: (inout UnsafeMutablePointer<UInt8>?) -> CInt) -> [UInt8]? {
        var output: UnsafeMutablePointer<UInt8>?
        let count = i2d(&output)
        defer { assay_free(output) }
        guard count > 0, let output else { return nil }
        return Array(UnsafeBufferPointer(start: output, count: Int(count)))
    }
}
