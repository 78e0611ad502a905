import AssayCore
import AssayPrimitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension FuzzTarget {
    /// An input of four times the length takes less than nine times the time, for every repeated unit.
    ///
    /// The first byte selects the decoder, the second the length of the beginning, and the third the length of the end.
    /// The bytes in between are repeated.
    static let growth = FuzzTarget(
        name: "growth", maximumLength: 48,
        dictionary: ["{\"a\":", "\"k0\":1,", "[", "a=1,", ";a", "\u{24}", "-----BEGIN "],
        seeds: { GrowthReading.seeds() },
        run: { input in
            guard input.count > 3 else { return false }
            let rest = input[3...]
            let (before, after) = (rest.prefix(Int(input[1]) % 16), rest.suffix(Int(input[2]) % 8))
            let unit = rest.dropFirst(before.count).dropLast(after.count)
            guard !unit.isEmpty else { return false }
            let read = GrowthReading.decoders[Int(input[0]) % GrowthReading.decoders.count]
            func seconds(_ length: Int) -> Double {
                var bytes = Array(before)
                while bytes.count < length { bytes += GrowthReading.counted(unit, bytes.count) }
                bytes += after
                let start = clock()
                read(bytes)
                return Double(clock() - start) / Double(CLOCKS_PER_SEC)
            }
            // Most inputs are refused at once. If a long input is fast, skip the measurement.
            guard seconds(4_096) > 0.002 else { return true }
            let least = { (length: Int) in (0..<3).map { _ in seconds(length) }.min() ?? 0 }
            var (short, long) = (0.0, 0.0)
            // Quadratic time would take sixteen times as long for four times the length. Other load on the machine may
            // slow one measurement, so an input must be slow three times.
            let isLinear = (0..<3).contains { _ in
                (short, long) = (least(8_192), least(32_768))
                return long < max(0.01, short * 9)
            }
            require(isLinear, "\(short) s for 8 KiB, \(long) s for 32 KiB")
            return true
        })
}

private enum GrowthReading {
    static let decoders: [@Sendable ([UInt8]) -> Void] = [
        {
            var reader = CBORReader($0); try? reader.skipItem()
        },
        {
            var reader = CBORReader([0x9A, 0, 0, 0x10, 0] + $0); try? reader.skipItem()
        },
        {
            var reader = DERReader($0); while !reader.isAtEnd, (try? reader.read()) != nil {}
        },
        {
            var reader = BERReader($0); while !reader.isAtEnd, (try? reader.read().octetString()) != nil {}
        },
        { _ = try? Certificate(der: $0[...]) },
        { _ = try? SignedDataMessage($0[...]) },
        { _ = try? JSONReader.read($0, limit: 1 << 20) },
        { _ = try? StructuredFieldReader.readItem($0[...]) },
        { _ = try? StructuredFieldReader.readList($0[...]) },
        { _ = try? StructuredFieldReader.readDictionary($0[...]) },
        { _ = try? StructuredFieldReader.readDictionary($0[...], duplicates: .lastWins) },
        { _ = try? SignatureInputField($0[...]) },
        { _ = try? CompactJWS($0[...], limit: InputLimits.joseText) },
        { _ = try? CompactJWE($0[...], limit: InputLimits.joseText) },
        { _ = try? JWKSet($0[...]) },
        { _ = try? PEM.certificates(in: $0) },
        { _ = try? Base64.decode($0[...], .standard) },
        { if let text = String(validating: $0, as: UTF8.self) { _ = try? JSONPointer(text) } },
        { input in
            guard let (signature, message) = SignatureBaseReading.parts(of: input) else { return }
            _ = try? SignatureBase.build(for: signature, of: message)
        },
        { _ = SignatureBaseReading.parts(of: Array("a=(\"x\")\nGET\nhttps://a/\nx: ".utf8) + $0) },
        { bytes in
            let target = "https://a/?" + String(decoding: bytes.filter { $0 > 0x20 && $0 < 0x7F }, as: UTF8.self)
            let message = HTTPMessageParts(method: "GET", targetURI: target, fields: [])
            let name = StructuredParameter("name", .string("a"))
            _ = try? SignatureBase.value(of: SignatureComponent("@query-param", [name]), in: message)
        },
        { _ = String(decoding: $0, as: UTF8.self).escapingControls },
    ]

    static func seeds() -> [[UInt8]] {
        let units = [
            "\u{1}\u{0}[#,]", "\u{1}\u{1}{\"k#\":1,}", "\u{1}\u{1}(\"a#\" )", "\u{0}\u{0}a#=1, ", "\u{0}\u{0};a#",
            "\u{0}\u{0}%41&a=1",
            "\u{0}\u{0}-----BEGIN CERTIFICATE-----\n",
        ]
        return decoders.indices.flatMap { index in units.map { [UInt8(index)] + Array($0.utf8) } }
            + [[1, 0, 0, 0x81], [0, 0, 0, 0x61, 0x23, 0x01], [3, 0, 0, 0x24, 0x80], [2, 0, 0, 0x30, 0x00]]
    }

    /// A unit with every `#` replaced by its position: the names then differ.
    static func counted(_ unit: ArraySlice<UInt8>, _ place: Int) -> [UInt8] {
        // Append many units at once: otherwise most of the time would go into appending.
        guard unit.contains(UInt8(ascii: "#")) else {
            return Array([ArraySlice](repeating: unit, count: 1 + 1024 / unit.count).joined())
        }
        return unit.flatMap { $0 == UInt8(ascii: "#") ? Array(String(place).utf8) : [$0] }
    }
}
