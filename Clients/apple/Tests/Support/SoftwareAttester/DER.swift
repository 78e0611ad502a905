import Foundation

/// The few forms of DER that a test authority needs.
enum DER {
    static func element(_ tag: UInt8, _ content: Data) -> Data {
        let length = content.count
        let head: [UInt8] =
            length < 128
            ? [UInt8(length)]
            : length < 256 ? [0x81, UInt8(length)] : [0x82, UInt8(length >> 8), UInt8(length & 0xff)]
        return Data([tag] + head) + content
    }

    static func sequence(_ parts: Data...) -> Data { element(0x30, parts.reduce(Data(), +)) }

    /// A positive number.
    static func integer(_ bytes: Data) -> Data {
        let digits = Data(bytes.drop { $0 == 0 })
        return element(2, (digits.first ?? 0x80) >= 0x80 ? [0] + digits : digits)
    }

    static func bits(_ bytes: Data) -> Data { element(3, [0] + bytes) }

    /// An object identifier in dotted form.
    static func identifier(_ text: String) -> Data {
        let arcs = text.split(separator: ".").compactMap { UInt64($0) }
        var bytes = Data([UInt8(arcs[0] * 40 + arcs[1])])
        for arc in arcs.dropFirst(2) {
            var digits = [UInt8(arc & 0x7f)]
            var rest = arc >> 7
            while rest > 0 {
                digits.append(UInt8(rest & 0x7f) | 0x80)
                rest >>= 7
            }
            bytes += Data(digits.reversed())
        }
        return element(6, bytes)
    }

    static func name(_ text: String) -> Data {
        sequence(element(0x31, sequence(identifier("2.5.4.3"), element(0x0c, Data(text.utf8)))))
    }

    static func time(_ date: Date) -> Data {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "yyMMddHHmmss'Z'"
        return element(0x17, Data(formatter.string(from: date).utf8))
    }
}

/// The few forms of CBOR that an attester needs: deterministic, definite lengths.
enum CBOR {
    static func head(_ major: UInt8, _ value: Int) -> Data {
        let type = major << 5
        if value < 24 { return Data([type | UInt8(value)]) }
        if value < 256 { return Data([type | 24, UInt8(value)]) }
        return Data([type | 25, UInt8(value >> 8), UInt8(value & 0xff)])
    }

    static func bytes(_ data: Data) -> Data { head(2, data.count) + data }
    static func text(_ text: String) -> Data { head(3, text.utf8.count) + Data(text.utf8) }
    static func map(_ pairs: [(Data, Data)]) -> Data { pairs.reduce(head(5, pairs.count)) { $0 + $1.0 + $1.1 } }
    static func array(_ parts: [Data]) -> Data { parts.reduce(head(4, parts.count), +) }
}
