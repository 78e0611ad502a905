import AssayCore
import AssayPrimitives
import Crypto
import Testing

@Suite struct ECDSAPublicKeyTests {
    private static let point = [UInt8](P256.Signing.PrivateKey().publicKey.x963Representation)

    @Test("A point must be uncompressed, of its curve's length, and on its curve")
    func points() throws {
        let point = ECDSAPublicKeyTests.point
        var offCurve = point
        offCurve[64] ^= 1
        let compressed = [2 + (point[64] & 1)] + point[1...32]
        let cases: [(String, [UInt8], DecodeError.Code)] = [
            ("empty", [], .unexpectedLength), ("infinity", [0], .unexpectedLength),
            ("compressed", compressed, .unexpectedLength),
            ("hybrid", [6 + (point[64] & 1)] + point[1...], .unexpectedValue),
            ("off the curve", offCurve, .unexpectedValue), ("too long", point + [0], .unexpectedLength),
            ("without its prefix", Array(point[1...]), .unexpectedLength),
        ]
        for (name, bytes, code) in cases {
            let error = #expect(throws: DecodeError.self, "\(name)") {
                try ECDSAPublicKey(x963: bytes, curve: .p256)
            }
            #expect(error?.reason == code, "\(name)")
        }
        #expect(throws: DecodeError.self) { try ECDSAPublicKey(x963: point, curve: .p384) }
        #expect(try ECDSAPublicKey(x963: point, curve: .p256).x963Representation == point)
    }

    @Test("A SubjectPublicKeyInfo must have the exact prefix, and no bytes after its point")
    func subjectPublicKeyInfo() throws {
        let key = try ECDSAPublicKey(x963: ECDSAPublicKeyTests.point, curve: .p256)
        let info = key.subjectPublicKeyInfo
        #expect(try ECDSAPublicKey(subjectPublicKeyInfo: info[...]) == key)
        #expect(throws: DecodeError.self) { try ECDSAPublicKey(subjectPublicKeyInfo: (info + [0])[...]) }
        #expect(throws: DecodeError.self) { try ECDSAPublicKey(subjectPublicKeyInfo: info.dropLast()) }
        for index in 0..<27 {
            var changed = info
            changed[index] ^= 0x01
            #expect(throws: DecodeError.self, "byte \(index)") {
                try ECDSAPublicKey(subjectPublicKeyInfo: changed[...])
            }
        }
    }

    @Test("Both values of s are accepted; any other change of a signature is refused")
    func signatures() throws {
        let privateKey = P256.Signing.PrivateKey()
        let key = try ECDSAPublicKey(x963: [UInt8](privateKey.publicKey.x963Representation), curve: .p256)
        let message = Array("message".utf8)
        let signature = try privateKey.signature(for: message)
        let der = [UInt8](signature.derRepresentation)
        #expect(key.isValidSignature(der: der[...], for: message, digest: .sha256))
        #expect(!key.isValidSignature(der: der[...], for: message, digest: .sha384))
        #expect(!key.isValidSignature(der: der[...], for: message + [0], digest: .sha256))
        #expect(!key.isValidSignature(der: (der + [0])[...], for: message, digest: .sha256))
        #expect(!key.isValidSignature(der: [], for: message, digest: .sha256))

        let raw = [UInt8](signature.rawRepresentation)
        let other = Array(raw[..<32]) + ECDSAPublicKeyTests.negate(raw[32...])
        let otherDER = try P256.Signing.ECDSASignature(rawRepresentation: other).derRepresentation
        #expect(key.isValidSignature(der: [UInt8](otherDER)[...], for: message, digest: .sha256))
    }

    /// `n - s`, where n is the order of P-256.
    private static func negate(_ value: ArraySlice<UInt8>) -> [UInt8] {
        let order: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA, 0xAD,
            0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
        ]
        var borrow = 0
        var result: [UInt8] = []
        for (left, right) in zip(order, value).reversed() {
            let difference = Int(left) - Int(right) - borrow
            borrow = difference < 0 ? 1 : 0
            result.insert(UInt8(truncatingIfNeeded: difference), at: 0)
        }
        return result
    }
}
