import AssayPrimitives

/// What the manifest of an Android app says about the build.
struct AndroidManifest {
    let package: String
    /// `versionCodeMajor` above `versionCode`.
    let versionCode: Int64

    /// The attributes of `android:`, by their resource IDs (`android.R.attr`).
    enum Attribute: UInt32 {
        case versionCode = 0x0101_021B
        case versionCodeMajor = 0x0101_0576
    }

    /// - Parameter major: `versionCodeMajor`; nil for none.
    init(package: String?, code: UInt32?, major: UInt32?) throws(AppFileProblem) {
        guard let package else { throw AppFileProblem("AndroidManifest.xml has no package name") }
        guard let code else { throw AppFileProblem("AndroidManifest.xml of \(package.excerpt) has no versionCode") }
        self.package = package
        versionCode = Int64(Int32(bitPattern: major ?? 0)) << 32 | Int64(code)
    }
}

/// The binary XML of an .apk (`ResourceTypes.h` of Android): only the attributes of the first element, `manifest`.
struct BinaryManifestReader {
    private static let (xml, stringPool, resourceMap, startElement) = (0x0003, 0x0001, 0x0180, 0x0102)
    private static let (typeString, typeDecimal, typeHexadecimal) = (0x03, 0x10, 0x11)
    /// The most units of a string that is read: each of many attributes can name a long one.
    private static let stringLimit = 1024

    private let bytes: [UInt8]
    private var strings: (start: Int, count: Int, data: Int, end: Int, isUTF8: Bool)?
    private var resourceIDs: [UInt32] = []

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    static func read(_ bytes: [UInt8]) throws(AppFileProblem) -> AndroidManifest {
        var reader = BinaryManifestReader(bytes)
        return try reader.manifest()
    }

    private func malformed(_ what: String) -> AppFileProblem {
        AppFileProblem("AndroidManifest.xml is no binary XML of Android: \(what)")
    }

    /// Throws unless the file has this many bytes from an index on.
    private func require(_ count: Int, at index: Int) throws(AppFileProblem) {
        guard index >= 0, count <= bytes.count, index <= bytes.count - count else { throw malformed("it is cut off") }
    }

    private mutating func manifest() throws(AppFileProblem) -> AndroidManifest {
        try require(8, at: 0)
        guard Int(bytes.little16(0)) == Self.xml else { throw malformed("it begins with another type") }
        var start = Int(bytes.little16(2))
        while start < bytes.count {
            try require(8, at: start)
            let (type, header, size) = (
                Int(bytes.little16(start)), Int(bytes.little16(start + 2)), Int(bytes.little32(start + 4))
            )
            guard header >= 8, size >= header else { throw malformed("a part has the length \(size)") }
            try require(size, at: start)
            switch type {
            case Self.stringPool: try takeStrings(start, header, size)
            case Self.resourceMap:
                resourceIDs = stride(from: start + header, to: start + size - 3, by: 4).map { bytes.little32($0) }
            case Self.startElement: return try element(start, header, size)
            default: break
            }
            start += size
        }
        throw malformed("it has no element")
    }

    private mutating func takeStrings(_ start: Int, _ header: Int, _ size: Int) throws(AppFileProblem) {
        guard header >= 28 else { throw malformed("the strings have no header") }
        let (count, data) = (Int(bytes.little32(start + 8)), Int(bytes.little32(start + 20)))
        guard count <= (size - header) / 4, data <= size else { throw malformed("there are \(count) strings") }
        strings = (start + header, count, start + data, start + size, bytes.little32(start + 16) & 0x100 != 0)
    }

    /// The string with a number; nil for none, or for one that is longer than any that is needed.
    private func string(_ number: UInt32) -> String? {
        guard let strings, number < strings.count else { return nil }
        var index = strings.data + Int(bytes.little32(strings.start + 4 * Int(number)))
        // Lengths have one unit, or two with the highest bit of the first set. UTF-8 has both lengths: in UTF-16, then in bytes.
        func length(_ width: Int) -> Int? {
            var units: [Int] = []
            for _ in 0..<2 {
                guard index >= 0, index + width <= strings.end else { return nil }
                units.append(width == 1 ? Int(bytes[index]) : Int(bytes.little16(index)))
                index += width
                let top = width == 1 ? 0x80 : 0x8000
                if units[0] & top == 0 { return units[0] }
                if units.count == 2 { return (units[0] & (top - 1)) << (8 * width) | units[1] }
            }
            return nil
        }
        if strings.isUTF8 {
            guard length(1) != nil, let count = length(1), count <= Self.stringLimit, index + count <= strings.end
            else { return nil }
            return String(validating: bytes[index..<(index + count)], as: UTF8.self)
        }
        guard let count = length(2), count <= Self.stringLimit, index + 2 * count <= strings.end else { return nil }
        return String(validating: (0..<count).map { bytes.little16(index + 2 * $0) }, as: UTF16.self)
    }

    private func element(_ start: Int, _ header: Int, _ size: Int) throws(AppFileProblem) -> AndroidManifest {
        let body = start + header
        guard size >= header + 20 else { throw malformed("the first element is cut off") }
        guard string(bytes.little32(body + 4)) == "manifest" else { throw malformed("it does not begin with manifest") }
        let (first, length, count) = (
            Int(bytes.little16(body + 8)), Int(bytes.little16(body + 10)), Int(bytes.little16(body + 12))
        )
        guard length >= 20, header + first + length * count <= size else {
            throw malformed("its attributes are cut off")
        }
        var package: String?
        var numbers: [AndroidManifest.Attribute: UInt32] = [:]
        for index in 0..<count {
            let attribute = body + first + length * index
            let name = bytes.little32(attribute + 4)
            let (type, value) = (Int(bytes[attribute + 15]), bytes.little32(attribute + 16))
            if name < resourceIDs.count, let known = AndroidManifest.Attribute(rawValue: resourceIDs[Int(name)]) {
                guard [Self.typeDecimal, Self.typeHexadecimal].contains(type) else {
                    throw malformed("\(known) is no number")
                }
                numbers[known] = value
            } else if type == Self.typeString, string(name) == "package" {
                package = string(value)
            }
        }
        return try AndroidManifest(
            package: package, code: numbers[.versionCode], major: numbers[.versionCodeMajor])
    }
}

/// The manifest of an .aab: the message `XmlNode` of aapt2 (`Resources.proto`) in Protocol Buffers.
enum BundleManifestReader {
    static func read(_ bytes: [UInt8]) throws(AppFileProblem) -> AndroidManifest {
        guard let element = try fields(bytes[...]).first(where: { $0.number == 1 })?.bytes else {
            throw AppFileProblem("AndroidManifest.xml of the bundle has no element")
        }
        let parts = try fields(element)
        guard text(parts, 3) == "manifest" else {
            throw AppFileProblem("AndroidManifest.xml of the bundle does not begin with manifest")
        }
        var package: String?
        var numbers: [AndroidManifest.Attribute: UInt32] = [:]
        for case (4, let attribute?, _) in parts {
            let attribute = try fields(attribute)
            let resource = attribute.first { $0.number == 5 }?.value ?? 0
            if let known = AndroidManifest.Attribute(rawValue: UInt32(truncatingIfNeeded: resource)) {
                guard let number = text(attribute, 3).flatMap(UInt32.init) else {
                    throw AppFileProblem("\(known) in AndroidManifest.xml of the bundle is no number")
                }
                numbers[known] = number
            } else if text(attribute, 2) == "package", text(attribute, 1) ?? "" == "" {
                package = text(attribute, 3)
            }
        }
        return try AndroidManifest(
            package: package, code: numbers[.versionCode], major: numbers[.versionCodeMajor])
    }

    private typealias Field = (number: UInt64, bytes: ArraySlice<UInt8>?, value: UInt64)

    private static func text(_ fields: [Field], _ number: UInt64) -> String? {
        fields.first { $0.number == number }?.bytes.flatMap { String(validating: $0, as: UTF8.self) }
    }

    private static func fields(_ message: ArraySlice<UInt8>) throws(AppFileProblem) -> [Field] {
        let malformed = AppFileProblem("AndroidManifest.xml of the bundle is no message of aapt2")
        var (rest, fields) = (message, [Field]())
        func varint() -> UInt64? {
            var value: UInt64 = 0
            for shift in stride(from: UInt64(0), to: 64, by: 7) {
                guard let byte = rest.popFirst() else { return nil }
                value |= UInt64(byte & 0x7F) << shift
                if byte & 0x80 == 0 { return value }
            }
            return nil
        }
        while !rest.isEmpty {
            guard let tag = varint() else { throw malformed }
            switch tag & 7 {
            case 0:
                guard let value = varint() else { throw malformed }
                fields.append((tag >> 3, nil, value))
            case 2:
                guard let length = varint(), length <= rest.count else { throw malformed }
                fields.append((tag >> 3, rest.prefix(Int(length)), 0))
                rest = rest.dropFirst(Int(length))
            case 1, 5:
                guard rest.count >= (tag & 7 == 1 ? 8 : 4) else { throw malformed }
                rest = rest.dropFirst(tag & 7 == 1 ? 8 : 4)
            default: throw malformed
            }
        }
        return fields
    }
}
