import AssayCore
import AssayPrimitives
import AssayTestSupport
import Crypto
import Testing

@Suite("AES-256") struct AESTests {
    private static let zeros = [UInt8](repeating: 0, count: 32)

    private static func bytes(_ secret: SecretBytes?) -> [UInt8]? { secret?.withUnsafeBytes { Array($0) } }

    @Test("GCM gives the bytes of test case 14 of its specification")
    func gcmExample() throws {
        let sealed = try AESGCM.seal(
            SecretBytes(Self.zeros[..<16]), key: SecretBytes(Self.zeros), nonce: Array(Self.zeros[..<12]))
        #expect(sealed.ciphertext == [UInt8](hex: "cea7403d4d606b6e074ec5d3baf39d18"))
        #expect(sealed.tag == [UInt8](hex: "d0d1c8a799996bf0265b98b5d48ab919"))
    }

    @Test(
        "Sealed data opens only with the same key, nonce and additional data",
        arguments: [0, 1, 16, 1000])
    func gcm(count: Int) throws {
        let plaintext = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let (key, nonce, data) = (TokenFixture.wrappingKey, TokenFixture.nonce, Array("name".utf8))
        let (ciphertext, tag) = try AESGCM.seal(
            SecretBytes(plaintext), key: key, nonce: nonce, additionalData: data[...])
        #expect(ciphertext.count == count && tag.count == AESGCM.tagLength)
        #expect(AESGCM.open(ciphertext, tag: tag, key: key, nonce: nonce, additionalData: data[...]) == plaintext)
        let secret = AESGCM.openSecret(ciphertext, tag: tag, key: key, nonce: nonce, additionalData: data[...])
        #expect(Self.bytes(secret) == plaintext)
        let other = SecretBytes(TokenFixture.secret.reversed())
        let short = SecretBytes(TokenFixture.secret.dropLast())
        let attempts: [([UInt8], [UInt8], SecretBytes, [UInt8], ArraySlice<UInt8>)] = [
            (ciphertext, tag, other, nonce, data[...]), (ciphertext, tag, short, nonce, data[...]),
            (ciphertext, tag, key, nonce.reversed(), data[...]), (ciphertext, tag, key, nonce + [0], data[...]),
            (ciphertext, tag, key, nonce.dropLast(), data[...]), (ciphertext, tag, key, [], data[...]),
            (ciphertext, tag, key, nonce, []), (ciphertext, tag, key, nonce, data.dropLast()),
            (ciphertext, tag.reversed(), key, nonce, data[...]), (ciphertext, tag.dropLast(), key, nonce, data[...]),
            (ciphertext, tag + [0], key, nonce, data[...]), (ciphertext, [], key, nonce, data[...]),
            (ciphertext + [0], tag, key, nonce, data[...]), (ciphertext.map { ~$0 } + [1], tag, key, nonce, data[...]),
        ]
        for (index, (ciphertext, tag, key, nonce, data)) in attempts.enumerated() {
            #expect(AESGCM.open(ciphertext, tag: tag, key: key, nonce: nonce, additionalData: data) == nil, "\(index)")
            #expect(
                AESGCM.openSecret(ciphertext, tag: tag, key: key, nonce: nonce, additionalData: data) == nil,
                "\(index)")
        }
    }

    @Test("Sealing refuses a key or a nonce of another length")
    func gcmLengths() {
        let plaintext = SecretBytes([1])
        for count in [0, 16, 31, 33] {
            let error = decodeError {
                _ = try AESGCM.seal(
                    plaintext, key: SecretBytes([UInt8](repeating: 1, count: count)), nonce: TokenFixture.nonce)
            }
            #expect(error?.field == "key")
        }
        for count in [0, 8, 11, 13, 16] {
            let nonce = [UInt8](repeating: 1, count: count)
            let error = decodeError { _ = try AESGCM.seal(plaintext, key: TokenFixture.wrappingKey, nonce: nonce) }
            #expect(error?.field == "nonce")
        }
    }

    @Test("The key of RFC 3394 section 4.6 is unwrapped, and every change of it is refused")
    func keyWrap() throws {
        let wrapped = try #require(
            [UInt8](hex: "28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21"))
        let unwrapped = [UInt8](hex: "00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f")
        #expect(Self.bytes(AESKeyWrap.unwrap(wrapped, key: TokenFixture.wrappingKey)) == unwrapped)
        for index in wrapped.indices {
            for bit in 0..<8 {
                var changed = wrapped
                changed[index] ^= 1 << UInt8(bit)
                #expect(AESKeyWrap.unwrap(changed, key: TokenFixture.wrappingKey) == nil)
            }
        }
        for count in 0...wrapped.count + 16 where count != wrapped.count {
            let other = Array((wrapped + wrapped).prefix(count))
            #expect(AESKeyWrap.unwrap(other, key: TokenFixture.wrappingKey) == nil)
        }
        for count in [0, 16, 24, 31, 33] {
            #expect(AESKeyWrap.unwrap(wrapped, key: SecretBytes([UInt8](repeating: 1, count: count))) == nil)
        }
    }

    @Test("Keys that swift-crypto has wrapped are unwrapped to the same bytes")
    func keyWrapElsewhere() throws {
        for seed in UInt8(0)..<100 {
            let (key, content) = (Digest.sha256([seed]), Digest.sha256([seed, 1]))
            let wrapped = try AES.KeyWrap.wrap(SymmetricKey(data: content), using: SymmetricKey(data: key))
            #expect(Self.bytes(AESKeyWrap.unwrap(Array(wrapped), key: SecretBytes(key))) == content)
        }
    }

    @Test("Concurrent tasks can open and verify with the same keys")
    func concurrency() async throws {
        let inner = TokenFixture.compact(try TokenFixture.signed("{}"))
        let token = TokenFixture.compact(try TokenFixture.encrypted(inner))
        let forged = TokenFixture.compact(try TokenFixture.encrypted(inner.dropLast()))
        let key = try JWEKey.a256KW(TokenFixture.wrappingKey)
        let verifier = try JWSKey.es256(TokenFixture.verificationKey())
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var right = 0
                    for round in 0..<200 {
                        let isGenuine = round % 2 == 0
                        let jwe = try CompactJWE(isGenuine ? token : forged, limit: InputLimits.joseText)
                        let plaintext = try key.decrypt(jwe)
                        let isVerified =
                            (try? verifier.verify(CompactJWS(plaintext, limit: InputLimits.joseText))) != nil
                        if isVerified == isGenuine { right += 1 }
                    }
                    return right
                }
            }
            for try await right in group { #expect(right == 200) }
        }
    }

    @Test("HMAC under a secret is HMAC under its bytes", arguments: [0, 1, 32, 64, 65])
    func hmac(length: Int) {
        let key = [UInt8](repeating: 0xAA, count: length)
        #expect(
            AssayPrimitives.HMAC.sha256(key: SecretBytes(key), [1, 2], [3])
                == AssayPrimitives.HMAC.sha256(key: key, [1, 2, 3]))
    }
}
