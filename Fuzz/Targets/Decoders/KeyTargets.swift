import AssayCore
import AssayPrimitives
import AssayTesting

extension FuzzTarget {
    /// PEM files of certificates.
    static let pem = FuzzTarget(
        name: "pem", maximumLength: 2048,
        dictionary: [
            "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----", "-----BEGIN PRIVATE KEY-----", "\r\n",
        ],
        seeds: {
            let authority = try MintedSeeds.authority()
            return [authority.rootPEM, "# a name\r\n" + authority.rootPEM.replacing("\n", with: "\r\n")].map {
                Array($0.utf8)
            }
        },
        run: { input in
            do throws(DecodeError) {
                let certificates = try PEM.certificates(in: input)
                require(!certificates.isEmpty, "no certificates")
                for certificate in certificates {
                    require((try? Certificate(der: Array(certificate.der)[...])) == certificate, "another certificate")
                }
                let again = try? PEM.certificates(in: input)
                require(again == certificates, "two readings of the same bytes differ")
                return true
            } catch {
                require(error.offset >= 0, "an error at \(error.offset)")
                return false
            }
        })

    /// Keys as users paste them, public and secret: errors never quote the input.
    static let keyText = FuzzTarget(
        name: "key-text", maximumLength: 512,
        dictionary: ["-----BEGIN PUBLIC KEY-----", "-----END PUBLIC KEY-----", "\"", "'", "=", "00", "{"],
        seeds: {
            let info = Base64.encode(MintedSeeds.subjectPublicKeyInfo, .standard)
            return [
                info, "-----BEGIN PUBLIC KEY-----\n\(info)\n-----END PUBLIC KEY-----\n", "\"\(info)\"",
                Base64.encode([UInt8](repeating: 9, count: 32), .standard), String(repeating: "0a", count: 32),
            ].map { Array($0.utf8) }
        },
        run: { input in
            let text = SecretBytes(input)
            var isAccepted = false
            let reader = PublicKeyText(part: "key", expected: "a key")
            do throws(KeyError) {
                let info = try reader.decode(text) { (bytes) throws(DecodeError) in
                    _ = try ECDSAPublicKey(subjectPublicKeyInfo: bytes)
                    return Array(bytes)
                }
                require((try? ECDSAPublicKey(subjectPublicKeyInfo: info[...])) != nil, "a key that is none")
                isAccepted = true
            } catch {
                require(!KeyTextRules.shows(error.message, input), "an error that shows what was read: \(error)")
            }
            do throws(SecretKeyText.Problem) {
                let key = try SecretKeyText.decode(text, byteCount: 32)
                require(key.count == 32, "a key of \(key.count) bytes")
                isAccepted = true
            } catch {
                require(!KeyTextRules.shows(error.found, input), "an error that shows what was read: \(error.found)")
            }
            if let key = try? SecretKeyText.decodeBase64(text, byteCounts: 16...64) {
                require((16...64).contains(key.count), "a key of \(key.count) bytes")
                let bytes = key.withUnsafeBytes { Array($0) }
                let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
                let body = input.filter { !isSpace($0) && $0 != 0x22 && $0 != 0x27 && $0 != 0x3D }
                let texts = [Base64.encode(bytes, .standard), Base64.encode(bytes, .url)]
                require(
                    texts.contains { $0.utf8.filter { $0 != 0x3D }.elementsEqual(body) },
                    "a key that its text does not stand for")
                isAccepted = true
            }
            return isAccepted
        })
}

private enum KeyTextRules {
    /// Whether a sentence contains eight consecutive bytes of the input that are not words of a label.
    static func shows(_ sentence: String, _ input: [UInt8]) -> Bool {
        let words = Array(sentence.utf8)
        guard input.count >= 8, words.count >= 8 else { return false }
        let pieces = Set((0...input.count - 8).map { input[$0..<$0 + 8] }.filter(isNoLabel))
        return (0...words.count - 8).contains { pieces.contains(words[$0..<$0 + 8]) }
    }

    /// Sentences may contain labels of PEM blocks (capital letters and spaces), and their own fixed words.
    private static func isNoLabel(_ piece: ArraySlice<UInt8>) -> Bool {
        piece.contains { (0x30...0x39).contains($0) || $0 == 0x2B || $0 == 0x2F || $0 == 0x5F }
    }
}
