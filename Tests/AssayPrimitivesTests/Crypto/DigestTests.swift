import AssayPrimitives
import AssayTestSupport
import Crypto
import Testing

@Suite struct DigestTests {
    private static let abc = Array("abc".utf8)

    @Test("SHA-256, SHA-384 and SHA-512 give the digests of FIPS 180-4's examples")
    func examples() throws {
        let sha256 = try #require(
            [UInt8](hex: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
        #expect(AssayPrimitives.Digest.sha256(DigestTests.abc) == sha256)
        #expect(AssayPrimitives.Digest.sha384(DigestTests.abc).prefix(4) == [0xCB, 0x00, 0x75, 0x3F])
        #expect(AssayPrimitives.Digest.sha384(DigestTests.abc).count == 48)
        #expect(AssayPrimitives.Digest.sha512(DigestTests.abc).prefix(4) == [0xDD, 0xAF, 0x35, 0xA1])
        #expect(AssayPrimitives.Digest.sha512(DigestTests.abc).count == 64)
        #expect(AssayPrimitives.Digest.sha256([]).prefix(4) == [0xE3, 0xB0, 0xC4, 0x42])
    }

    @Test("SHA-256 agrees with swift-crypto for every length around the block boundaries")
    func agreesWithPeer() {
        for length in Array(0...200) + [1000, 4096, 65_537] {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 131) }
            #expect(AssayPrimitives.Digest.sha256(bytes) == Array(SHA256.hash(data: bytes)))
        }
    }

    @Test("The digest of parts is that of their concatenation, for every split")
    func parts() {
        let bytes = (0..<200).map { UInt8($0) }
        for cut in [0, 1, 63, 64, 65, 199, 200] {
            #expect(AssayPrimitives.Digest.sha256(bytes[..<cut], bytes[cut...]) == AssayPrimitives.Digest.sha256(bytes))
            #expect(AssayPrimitives.Digest.sha384(bytes[..<cut], bytes[cut...]) == AssayPrimitives.Digest.sha384(bytes))
            #expect(AssayPrimitives.Digest.sha512(bytes[..<cut], bytes[cut...]) == AssayPrimitives.Digest.sha512(bytes))
            for (algorithm, whole, part) in [
                (
                    RunningDigest.Algorithm.sha256, AssayPrimitives.Digest.sha256(bytes),
                    AssayPrimitives.Digest.sha256(bytes[..<cut])
                ),
                (.sha512, AssayPrimitives.Digest.sha512(bytes), AssayPrimitives.Digest.sha512(bytes[..<cut])),
            ] {
                var running = RunningDigest(algorithm)
                running.update(bytes[..<cut])
                let before = running
                let rest = bytes[cut...]
                running.update(rest.span.bytes)
                #expect(running.finalize() == whole)
                #expect(before.finalize() == part)
            }
            #expect(
                AssayPrimitives.HMAC.sha256(key: [1], bytes[..<cut], bytes[cut...])
                    == AssayPrimitives.HMAC.sha256(key: [1], bytes))
        }
    }

    @Test("HMAC accepts keys of any length, including an empty one", arguments: [0, 1, 32, 64, 65, 200])
    func keys(length: Int) {
        let key = [UInt8](repeating: 0xAA, count: length)
        // RFC 2104: a key is padded with zeros to 64 bytes; a longer key is hashed first.
        let block = length > 64 ? AssayPrimitives.Digest.sha256(key) : key
        let padded = block + [UInt8](repeating: 0, count: 64 - block.count)
        let inner = AssayPrimitives.Digest.sha256(padded.map { $0 ^ 0x36 } + DigestTests.abc)
        #expect(
            AssayPrimitives.HMAC.sha256(key: key, DigestTests.abc)
                == AssayPrimitives.Digest.sha256(padded.map { $0 ^ 0x5C } + inner))
    }

    @Test("Byte strings are equal if every byte is")
    func constantTime() {
        #expect(ConstantTime.equals([UInt8](), []))
        #expect(ConstantTime.equals([1, 2, 3], [1, 2, 3]))
        #expect(!ConstantTime.equals([1, 2, 3], [1, 2, 4]))
        #expect(!ConstantTime.equals([1, 2, 3], [1, 2]))
        #expect(!ConstantTime.equals([], [0]))
    }
}
