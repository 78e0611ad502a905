import AssayCore
import AssayPrimitives
import AssayTestSupport
import Dispatch
import Testing

@Suite struct HMACSHA256KeyTests {
    @Test("A key gives the codes of RFC 4231, for consecutive messages")
    func examples() throws {
        // Test cases 1, 2 and 6: short keys, and one longer than a block.
        let cases: [(key: [UInt8], message: String, code: String)] = [
            (
                [UInt8](repeating: 0x0B, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ]
        for (bytes, message, code) in cases {
            let key = HMACSHA256Key(SecretBytes(bytes))
            let expected = try #require([UInt8](hex: code))
            for _ in 0..<3 {
                #expect(key.code(for: Array(message.utf8)[...]) == expected)
                #expect(key.isValid(expected, for: Array(message.utf8)[...]))
                #expect(key.code(for: [][...]) == HMAC.sha256(key: bytes, []))
            }
        }
    }

    @Test(
        "A reusable key of any length gives the same codes as a single-use one", arguments: [0, 1, 32, 63, 64, 65, 200])
    func lengths(length: Int) {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        let key = HMACSHA256Key(SecretBytes(bytes))
        for count in [0, 1, 55, 56, 64, 1000] {
            let message = [UInt8](repeating: 0x5A, count: count)
            #expect(key.code(for: message[...]) == HMAC.sha256(key: bytes, message))
        }
    }

    @Test("The code of parts is that of their concatenation, for every split")
    func parts() {
        let key = HMACSHA256Key(SecretBytes([1, 2, 3]))
        let bytes = (0..<200).map { UInt8($0) }
        let code = key.code(for: bytes[...])
        for cut in [0, 1, 63, 64, 65, 199, 200] {
            #expect(key.code(for: bytes[..<cut], bytes[cut...]) == code)
            #expect(key.isValid(code, for: bytes[..<cut], [][...], bytes[cut...]))
        }
    }

    @Test("A code with any change or any other length is refused")
    func refusals() {
        let key = HMACSHA256Key(SecretBytes([UInt8](repeating: 7, count: 64)))
        let message = Array("message".utf8)[...]
        let code = key.code(for: message)
        for bit in 0..<256 {
            var changed = code
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(!key.isValid(changed, for: message))
        }
        for length in [0, 1, 16, 31] { #expect(!key.isValid(Array(code.prefix(length)), for: message)) }
        #expect(!key.isValid(code + [0], for: message))
        #expect(!key.isValid(code, for: message.dropLast()))
    }

    @Test("Threads can use one key concurrently")
    func threads() {
        let bytes = [UInt8](repeating: 9, count: 64)
        let key = HMACSHA256Key(SecretBytes(bytes))
        let messages = (0..<8).map { [UInt8](repeating: UInt8($0), count: 1 + $0 * 400) }
        let codes = messages.map { HMAC.sha256(key: bytes, $0) }
        DispatchQueue.concurrentPerform(iterations: messages.count) { index in
            for _ in 0..<2000 where key.code(for: messages[index][...]) != codes[index] {
                Issue.record("another code for message \(index)")
                break
            }
        }
    }
}
