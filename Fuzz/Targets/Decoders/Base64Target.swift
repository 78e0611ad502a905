import AssayCore
import AssayPrimitives
import Foundation

extension FuzzTarget {
    /// Base64 in each form: each value has one text, and Foundation decodes it to the same bytes.
    static let base64 = FuzzTarget(
        name: "base64", maximumLength: 256, dictionary: ["=", "==", "+/", "-_", "AAAA"],
        seeds: {
            ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg", "-_-_", "+/+/", String(repeating: "A", count: 43)].map {
                Array($0.utf8)
            }
        },
        run: { input in
            var isAccepted = false
            for alphabet in [Base64.Alphabet.standard, .url] {
                let text = Base64.encode(input, alphabet)
                require((try? Base64.decode(text, alphabet)) == input, "bytes that do not come back: \(text)")
                let read = Reading(input) { (bytes) throws(DecodeError) in try Base64.decode(bytes, alphabet) }
                guard let bytes = read.value else { continue }
                isAccepted = true
                require(Array(Base64.encode(bytes, alphabet).utf8) == input, "a text that does not come back")
                require(AnyBase64.decode(input[...]) == bytes, "other bytes in any form")
                if alphabet == .standard {
                    require(Data(base64Encoded: Data(input)).map(Array.init) == bytes, "other bytes than Foundation's")
                }
            }
            if let bytes = AnyBase64.decode(input[...]) {
                let texts = [Base64.encode(bytes, .standard), Base64.encode(bytes, .url)]
                let body = input.prefix { $0 != 0x3D }
                require(
                    texts.contains { $0.utf8.prefix { $0 != 0x3D }.elementsEqual(body) },
                    "any form of a text that is none")
            }
            let challenge = LedgerChallenge.value(of: input)
            require(challenge == input || challenge.count == 32, "a challenge of \(challenge.count) bytes")
            return isAccepted
        })
}
