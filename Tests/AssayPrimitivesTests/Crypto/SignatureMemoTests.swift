import AssayPrimitives
import Crypto
import Testing

/// A memo returns the result of exactly the same verification.
@Suite("Memo of signatures")
struct SignatureMemoTests {
    private let privateKey = P256.Signing.PrivateKey()
    private let message = Array("message".utf8)

    @Test("The same signature, good or bad, is verified once; another signature is verified separately")
    func recall() throws {
        let key = try ECDSAPublicKey(x963: [UInt8](privateKey.publicKey.x963Representation), curve: .p256)
        let other = try ECDSAPublicKey(
            x963: [UInt8](P256.Signing.PrivateKey().publicKey.x963Representation), curve: .p256)
        let signature = try privateKey.signature(for: message)
        let der = [UInt8](signature.derRepresentation)
        let memo = SignatureMemo()
        SignatureMemo.$current.withValue(memo) {
            #expect(key.isValidSignature(der: der[...], for: message, digest: .sha256))
            #expect(key.isValidSignature(der: der[...], for: message, digest: .sha256))
            #expect((memo.verified, memo.recalled) == (1, 1))
            #expect(!other.isValidSignature(der: der[...], for: message, digest: .sha256))
            #expect(!other.isValidSignature(der: der[...], for: message, digest: .sha256))
            #expect((memo.verified, memo.recalled) == (2, 2))
            #expect(!key.isValidSignature(der: der[...], for: message + [0], digest: .sha256))
            #expect(!key.isValidSignature(der: der[...], for: message, digest: .sha384))
            let concatenated = [UInt8](signature.rawRepresentation)
            #expect(key.isValidSignature(p1363: concatenated, for: message[...], digest: .sha256))
            #expect((memo.verified, memo.recalled) == (5, 2))
            memo.clear()
            #expect(key.isValidSignature(der: der[...], for: message, digest: .sha256))
            #expect((memo.verified, memo.recalled) == (6, 2))
        }
        #expect(key.isValidSignature(der: der[...], for: message, digest: .sha256))
        #expect(memo.verified == 6, "without a memo nothing is counted")
    }

    @Test("A memo keeps only the latest results")
    func capacity() throws {
        let key = try ECDSAPublicKey(x963: [UInt8](privateKey.publicKey.x963Representation), curve: .p256)
        let memo = SignatureMemo()
        let signatures = try (0..<20).map { number in
            let message = [UInt8](repeating: UInt8(number), count: 8)
            return (message, [UInt8](try privateKey.signature(for: message).derRepresentation))
        }
        SignatureMemo.$current.withValue(memo) {
            for (message, der) in signatures + signatures {
                #expect(key.isValidSignature(der: der[...], for: message, digest: .sha256))
            }
        }
        #expect((memo.verified, memo.recalled) == (40, 0))
    }

    @Test("A DER signature has one encoding")
    func encodings() throws {
        let key = try ECDSAPublicKey(x963: [UInt8](privateKey.publicKey.x963Representation), curve: .p256)
        for _ in 0..<64 {
            let der = [UInt8](try privateKey.signature(for: message).derRepresentation)
            #expect(key.isValidSignature(der: der[...], for: message, digest: .sha256))
            // Offsets are indices of a larger input.
            let shifted = ([0xFF, 0xFF] + der)[2...]
            #expect(key.isValidSignature(der: shifted, for: message, digest: .sha256))
            let length = Int(der[3])
            let changes: [(String, [UInt8])] = [
                ("a needless zero", [0x30, der[1] + 1, 0x02, der[3] + 1, 0] + der[4...]),
                ("a length of two bytes", [0x30, 0x81] + der[1...]),
                ("a length too many", [0x30, der[1] + 1] + der[2...]), ("a byte too many", der + [0]),
                ("a byte less", der.dropLast()), ("a set", [0x31] + der[1...]),
                ("an octet string", [0x30, der[1], 0x04] + der[3...]),
                ("no second number", [0x30, UInt8(length + 2)] + der[2..<4 + length]),
                ("a third number", [0x30, der[1] + 3] + der[2...] + [0x02, 0x01, 0x01]),
                ("an empty number", [0x30, UInt8(length + 4)] + der[2..<4 + length] + [0x02, 0x00]),
                ("a negative number", [0x30, UInt8(length + 5)] + der[2..<4 + length] + [0x02, 0x01, 0x80]),
                ("zero", [0x30, UInt8(length + 5)] + der[2..<4 + length] + [0x02, 0x01, 0x00]),
            ]
            for (name, changed) in changes where changed != der {
                #expect(!key.isValidSignature(der: changed[...], for: message, digest: .sha256), "\(name)")
            }
        }
        for count in 0..<8 {
            let bytes = [UInt8]([0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01].prefix(count))
            #expect(!key.isValidSignature(der: bytes[...], for: message, digest: .sha256))
        }
    }
}
