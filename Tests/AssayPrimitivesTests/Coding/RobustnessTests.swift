import AssayCore
import AssayPrimitives
import AssayTestSupport
import Testing

/// For any bytes, a reader returns a value or throws its error. The error's offset is never outside the bytes.
@Suite("Robustness of the readers") struct RobustnessTests {
    private static let json = #"{"a\u00e9":[1,-2.5e+3,true,null,"x\n\ud83d\ude00ü"],"b":{"c":{"d":[[],{}]}}}"#

    private static let keySets = [
        #"{"keys":[{"kty":"oct","kid":"1","key_ops":["verify"],"k":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}]}"#,
        """
        {"keys":[{"kty":"EC","crv":"P-256","kid":"2","use":"sig","alg":"ES256",\
        "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}
        """,
        #"{"keys":[{"kty":"OKP","kid":"3"},{"kty":"RSA","kid":"4","n":"AQAB","e":"AQAB"}]}"#,
    ]

    static let subjects: [ReaderSubject] = [
        ReaderSubject(
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
        ReaderSubject(
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
        ReaderSubject(
            description: "BER",
            samples: [
                [UInt8](hex: "3080a0802480040101040202030000000030030201063105060355040a0000") ?? [],
                [UInt8](hex: "30803080020105000024050401010402" + "020300000000") ?? [],
            ],
            read: { try BERReaderTests.readAll($0) }),
        ReaderSubject(
            description: "DER",
            samples: [
                [UInt8](hex: "301f0101ff020201000303020780040201020500060355040a0c02c3a9130141") ?? [],
                [UInt8](hex: "1711" + "3230313030313032303330343035" + "5a0000") ?? [],
            ],
            read: { try readDER($0) }),
        ReaderSubject(
            description: "JSON", samples: [Array(json.utf8)],
            read: { _ = try JSONReader.read($0, limit: 4096) }),
        ReaderSubject(
            description: "base64", samples: [Array("Zm9vYmFy+/8=".utf8)],
            read: { _ = try Base64.decode($0, .standard) }),
        ReaderSubject(
            description: "base64url", samples: [Array("Zm9vYmFy-_8".utf8)], read: { _ = try Base64.decode($0, .url) }),
        ReaderSubject(
            description: "JWS", samples: [Array("eyJhbGciOiJFUzI1NiIsImtpZCI6IsO8In0.e30.AAAA".utf8)],
            read: { _ = try CompactJWS($0, limit: 4096) }),
        ReaderSubject(
            description: "JWE", samples: [Array("eyJhbGciOiJBMjU2S1ciLCJlbmMiOiJBMjU2R0NNIn0.AAAA.AAAA.AAA.AA".utf8)],
            read: { _ = try CompactJWE($0, limit: 4096) }),
        ReaderSubject(
            description: "JWK set", samples: keySets.map { Array($0.utf8) }, read: { _ = try JWKSet($0) }),
    ]

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

    @Test("Every prefix of a sample is read or refused", arguments: subjects)
    func prefixes(_ subject: ReaderSubject) {
        for failure in subject.prefixFailures() { Issue.record("\(failure)") }
    }

    @Test("Pseudo-random changes of a sample, from a fixed seed, are read or refused", arguments: subjects)
    func mutations(_ subject: ReaderSubject) {
        for failure in subject.mutationFailures(rounds: 60_000) { Issue.record("\(failure)") }
    }
}
