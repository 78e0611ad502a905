import AssayCore
import AssayPrimitives
import AssayTestSupport
import Testing

/// Whatever the bytes are, a reader returns or throws its error, and never says that something is wrong outside of them.
@Suite("Robustness of the readers") struct RobustnessTests {
    /// A reader, and whole inputs that it takes.
    struct Subject: Sendable, CustomStringConvertible {
        let description: String
        let samples: [[UInt8]]
        let read: @Sendable (ArraySlice<UInt8>) throws -> Void
    }

    private static let json = #"{"a\u00e9":[1,-2.5e+3,true,null,"x\n\ud83d\ude00ü"],"b":{"c":{"d":[[],{}]}}}"#

    private static let keySets = [
        #"{"keys":[{"kty":"oct","kid":"1","key_ops":["verify"],"k":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}]}"#,
        """
        {"keys":[{"kty":"EC","crv":"P-256","kid":"2","use":"sig","alg":"ES256",\
        "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}
        """,
        #"{"keys":[{"kty":"OKP","kid":"3"},{"kty":"RSA","kid":"4","n":"AQAB","e":"AQAB"}]}"#,
    ]

    private static let structuredFields = [
        Array(#"a=("x";sf "y" 1);n=-1.5;t=*o/k,b;d=@-12 , c=:AAECAw==:;s=%"%e2%82%ac", d=?0"#.utf8),
        Array(#"("a\\b" 2);c, d;e="f", :AAE=:, %"%c3%bc""#.utf8),
    ]

    static let subjects = [
        Subject(
            description: "CBOR, skipping",
            samples: [
                [UInt8](hex: "a3616161016162a10203697369676e6174757265820140") ?? [],
                [UInt8](hex: "84f5fb3ff000000000000063c3a9211a00010000") ?? [],
            ],
            read: { bytes in
                var reader = CBORReader(bytes)
                try reader.skipItem()
                try reader.finish()
            }),
        Subject(
            description: "CBOR, reading maps",
            samples: [[UInt8](hex: "a26161a1006162a0".replacing("6162a0", with: "41626162a0")) ?? []],
            read: { bytes in
                func readDeep(_ reader: inout CBORReader) throws(DecodeError) {
                    try reader.readMap { (_, reader) throws(DecodeError) in
                        switch reader.peekType() {
                        case .map: try readDeep(&reader)
                        case .byteString: _ = try reader.readByteString()
                        default: try reader.skipItem()
                        }
                    }
                }
                var reader = CBORReader(bytes, allowingTags: true)
                try readDeep(&reader)
                try reader.finish()
            }),
        Subject(
            description: "BER",
            samples: [
                [UInt8](hex: "3080a0802480040101040202030000000030030201063105060355040a0000") ?? [],
                [UInt8](hex: "30803080020105000024050401010402" + "020300000000") ?? [],
            ],
            read: { try BERReaderTests.readAll($0) }),
        Subject(
            description: "DER",
            samples: [
                [UInt8](hex: "301f0101ff020201000303020780040201020500060355040a0c02c3a9130141") ?? [],
                [UInt8](hex: "1711" + "3230313030313032303330343035" + "5a0000") ?? [],
            ],
            read: { try readDER($0) }),
        Subject(
            description: "JSON", samples: [Array(json.utf8)],
            read: { _ = try JSONReader.read($0, limit: 4096) }),
        Subject(
            description: "base64", samples: [Array("Zm9vYmFy+/8=".utf8)],
            read: { _ = try Base64.decode($0, .standard) }),
        Subject(
            description: "base64url", samples: [Array("Zm9vYmFy-_8".utf8)], read: { _ = try Base64.decode($0, .url) }),
        Subject(
            description: "JWS", samples: [Array("eyJhbGciOiJFUzI1NiIsImtpZCI6IsO8In0.e30.AAAA".utf8)],
            read: { _ = try CompactJWS($0, limit: 4096) }),
        Subject(
            description: "JWE", samples: [Array("eyJhbGciOiJBMjU2S1ciLCJlbmMiOiJBMjU2R0NNIn0.AAAA.AAAA.AAA.AA".utf8)],
            read: { _ = try CompactJWE($0, limit: 4096) }),
        Subject(
            description: "structured dictionary", samples: structuredFields,
            read: { _ = try StructuredFieldReader.readDictionary($0) }),
        Subject(
            description: "structured list", samples: structuredFields,
            read: { _ = try StructuredFieldReader.readList($0, duplicates: .lastWins) }),
        Subject(
            description: "structured item", samples: [Array(#""a\\b";c=-1.25;d=:AAE=:;e=%"f%c3%bc""#.utf8)],
            read: { _ = try StructuredFieldReader.readItem($0) }),
        Subject(
            description: "Signature-Input",
            samples: [Array(#"a=("@method" "x";key="k" "y";bs);created=1;expires=2;alg="b", c=("@path")"#.utf8)],
            read: { try readSignatureInput($0) }),
        Subject(
            description: "Signature", samples: [Array(#"a=:AAECAwQ=:, b="AAECAwQ=""#.utf8)],
            read: { _ = try SignatureField($0, form: .byteSequenceOrString) }),
        Subject(
            description: "Content-Digest",
            samples: [Array("md5=:AAAA:, sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:".utf8)],
            read: { _ = try ContentDigest($0) }),
        Subject(
            description: "JWK set", samples: keySets.map { Array($0.utf8) }, read: { _ = try JWKSet($0) }),
    ]

    /// Reads, and builds the base of whatever was read: what a base cannot have is found then, and is no error here.
    private static func readSignatureInput(_ bytes: ArraySlice<UInt8>) throws {
        for input in try SignatureInputField(bytes).inputs {
            let base = Result { try SignatureBase.build(for: input, of: SignatureBaseTests.request) }
            if case .failure(let error) = base, (error as? SignatureBaseError)?.component.isEmpty ?? true {
                Issue.record("\(error) names no component")
            }
        }
    }

    private static func readDER(_ bytes: ArraySlice<UInt8>) throws {
        var reader = DERReader(bytes)
        while !reader.isAtEnd {
            let element = try reader.read()
            switch element.tag {
            case .boolean: _ = try element.boolean()
            case .integer: _ = try element.integer()
            case .bitString: _ = try element.bitString()
            case .objectIdentifier: _ = try ObjectIdentifier(element).description
            case .utf8String, .printableString: _ = try element.text()
            case .utcTime, .generalizedTime: _ = try element.time()
            case .sequence, .set: try readDER(element.contents)
            default: break
            }
        }
    }

    /// Reads from the middle of a larger array, so that a reader that leaves its slice is caught.
    private static func attempt(_ subject: Subject, _ bytes: [UInt8]) {
        let padded = [0x30, 0x80, 0x22] + bytes + [0x00, 0x00, 0x22]
        let slice = padded[3..<padded.count - 3]
        do {
            try subject.read(slice)
        } catch let error as DecodeError {
            if error.offset < slice.startIndex || error.offset > slice.endIndex {
                Issue.record("\(subject): \(error) is outside of \(bytes)")
            }
        } catch {
            Issue.record("\(subject): \(error)")
        }
    }

    @Test("Every prefix of a sample", arguments: subjects)
    func prefixes(_ subject: Subject) {
        for sample in subject.samples {
            for length in 0...sample.count { Self.attempt(subject, Array(sample.prefix(length))) }
        }
    }

    @Test("Random changes of a sample, always the same ones", arguments: subjects)
    func mutations(_ subject: Subject) {
        // SplitMix64 with a fixed seed: a failure comes back.
        var state: UInt64 = 0x41_73_73_61_79
        func random(_ bound: Int) -> Int {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return Int((mixed ^ mixed >> 31) % UInt64(bound))
        }
        for round in 0..<60_000 {
            var bytes = subject.samples[round % subject.samples.count]
            for _ in 0...random(3) {
                let index = random(bytes.count + 1)
                switch random(4) {
                case 0 where index < bytes.count: bytes[index] = UInt8(random(256))
                case 1 where index < bytes.count: bytes[index] ^= 1 << UInt8(random(8))
                case 2 where index < bytes.count: bytes.remove(at: index)
                default: bytes.insert([0x00, 0x80, 0xFF, 0x22, 0x81, 0x30][random(6)], at: index)
                }
            }
            Self.attempt(subject, bytes)
        }
    }
}
