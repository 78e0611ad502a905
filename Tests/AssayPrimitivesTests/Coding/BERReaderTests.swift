import AssayCore
import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

@Suite("BER reader") struct BERReaderTests {
    private static func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    /// Reads all elements as for CMS: descends into constructed elements, and joins OCTET STRINGs.
    static func readAll(_ bytes: ArraySlice<UInt8>) throws {
        var open = [BERReader(bytes)]
        while let last = open.indices.last {
            guard try open[last].peekTag() != nil else {
                open.removeLast()
                continue
            }
            let element = try open[last].read()
            if element.tag.tagClass == .universal, element.tag.number == 4 {
                _ = try element.octetString()
            } else if element.tag.isConstructed {
                open.append(element.reader)
            }
        }
    }

    static let refused: [Rejection] = [
        Rejection("3080", .truncated, 2, "an indefinite length ends"),
        Rejection("3080000000", .malformed, 4, "end-of-contents octets end one element each"),
        Rejection("3080000100", .malformed, 2, "end-of-contents octets are 00 00"),
        Rejection("30800500", .truncated, 4, "an indefinite length ends after its contents"),
        Rejection("0480010000", .indefiniteLength, 1, "a primitive element has no indefinite length"),
        Rejection("308004800000", .indefiniteLength, 3, "a nested primitive element has no indefinite length"),
        Rejection("30020000", .malformed, 2, "no end-of-contents octets in a definite length"),
        Rejection("30810100", .notMinimal, 1, "definite lengths are in their shortest form"),
        Rejection("308004810000", .notMinimal, 3, "definite lengths inside are in their shortest form"),
        Rejection("30850000000000", .tooLarge, 1, "lengths have at most four bytes"),
        Rejection("3003020100ff", .truncated, 6, "what follows is read too"),
        Rejection("300302", .truncated, 2, "contents are complete"),
        Rejection("24800201000000", .unexpectedType, 2, "chunks are OCTET STRINGs"),
        Rejection("248024030201000000", .unexpectedType, 4, "nested chunks are OCTET STRINGs"),
        Rejection("2380030200000000", .unexpectedType, 0, "BIT STRINGs come in no chunks"),
        Rejection(repeated("3080", 33) + repeated("0000", 33), .tooDeep, 64, "depth is bounded"),
        Rejection(repeated("2480", 33) + repeated("0000", 33), .tooDeep, 64, "the depth of chunks is bounded"),
        Rejection(
            "248230" + "03" + repeated("040130", 4097), .tooLarge, 4 + 1024 * 3, "the number of chunks is bounded"),
    ]

    @Test("Violations are refused with the byte offset", arguments: refused)
    func refuses(_ rejection: Rejection) {
        let error = decodeError { try Self.readAll(rejection.hexBytes[...]) }
        #expect(rejection.matches(error), "\(String(describing: error))")
    }

    @Test(
        "OCTET STRINGs are joined from chunks of definite or indefinite length",
        arguments: [
            "0403010203", "240704010104020203", "2480040101040202030000", "248024800401010000040202030000",
            "2409240304010104020203", "2480240004030102030000",
        ])
    func joinsChunks(_ hex: String) throws {
        var reader = BERReader([UInt8](hex: hex) ?? [])
        let element = try reader.read()
        try reader.finish()
        #expect(try element.octetString() == [1, 2, 3])
        #expect(Array(element.bytes) == [UInt8](hex: hex))
    }

    @Test("Elements of indefinite length have the same content as those of definite length")
    func readsIndefiniteLengths() throws {
        let bytes = [UInt8](hex: "3080" + "a080" + "020105" + "0000" + "3003020106" + "0000") ?? []
        var reader = try BERReader.single(.sequence, in: bytes[...]).reader
        var explicit = try reader.readConstructed(.context(0))
        #expect(try explicit.read(.integer).der().integer() == 5)
        try explicit.finish()
        #expect(try reader.readIfPresent(.set) == nil)
        #expect(reader.offset == 9)
        var sequence = try reader.readConstructed(.sequence)
        #expect(try sequence.read(.integer).der().integer() == 6)
        try reader.finish()
        #expect(reader.isAtEnd)
    }

    @Test("An element of indefinite length is not DER")
    func indefiniteIsNotDER() throws {
        let element = try BERReader.single(.sequence, in: [0x30, 0x80, 0x00, 0x00])
        #expect(throws: DecodeError.self) { try element.der() }
    }

    @Test("Thousands of nested indefinite lengths are refused at the depth limit, in linear time")
    func nestingIsCheapToRefuse() {
        for unit: [UInt8] in [[0x30, 0x80], [0x24, 0x80], [0xA0, 0x80]] {
            let bytes = [[UInt8]](repeating: unit, count: 500_000).flatMap { $0 }
            let time = ProcessorTime.measure {
                #expect(decodeError { try Self.readAll(bytes[...]) }?.reason == .tooDeep)
            }
            #expect(time < .milliseconds(2500) * Sanitizer.slowdown)
        }
    }

    @Test("The deepest allowed nesting is read in a limited number of passes")
    func deepestNestingIsLinear() throws {
        let leaves = [[UInt8]](repeating: [0x05, 0x00], count: 30_000).flatMap { $0 }
        let open = [[UInt8]](repeating: [0x30, 0x80], count: 31).flatMap { $0 }
        let bytes = open + leaves + [UInt8](repeating: 0, count: 62)
        let time = try ProcessorTime.measure { try Self.readAll(bytes[...]) }
        #expect(time < .seconds(5) * Sanitizer.slowdown)
    }

    @Test(
        "Apple's receipts are read to their end: SignedData in BER, its contents in chunks",
        .enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
    func readsReceipts() throws {
        var receipts = 0
        for file in try SharedFiles.files(in: "vectors/app-attest", suffix: ".json")
            + SharedFiles.files(in: "vectors/app-attest-receipts", suffix: ".json")
        {
            for bytes in try Self.receipts(in: JSONReader.read(Array(SharedFiles.data(file)), limit: 1 << 20)) {
                try Self.readAll(bytes)
                let contents = try Self.signedContents(bytes)
                var attributes = try DERReader.single(.set, in: contents[...]).reader
                #expect(try attributes.read().tag == .sequence)
                receipts += 1
            }
        }
        #expect(receipts >= 10)
    }

    /// The receipts in records: `attStmt.receipt` of attestations, and every field named `receipt`.
    private static func receipts(in value: RecordValue) throws -> [ArraySlice<UInt8>] {
        switch value.content {
        case .array(let elements): return try elements.flatMap { try receipts(in: $0) }
        case .object(let object):
            return try object.members.flatMap { member -> [ArraySlice<UInt8>] in
                guard case .text(let text) = member.value.content else { return try receipts(in: member.value) }
                switch member.name {
                case "attestation": return [try receipt(ofAttestation: Base64.decode(text, .standard)[...])]
                case "receipt": return [try Base64.decode(text, .standard)[...]]
                default: return []
                }
            }
        case .null, .flag, .number, .text: return []
        }
    }

    private static func receipt(ofAttestation bytes: ArraySlice<UInt8>) throws -> ArraySlice<UInt8> {
        var receipt: ArraySlice<UInt8> = []
        var reader = CBORReader(bytes)
        try reader.readMap { (key, reader) throws(DecodeError) in
            guard case "attStmt" = key else { return try reader.skipItem() }
            try reader.readMap { (key, reader) throws(DecodeError) in
                guard case "receipt" = key else { return try reader.skipItem() }
                receipt = try reader.readByteString()
            }
        }
        try reader.finish()
        return receipt
    }

    private static func signedContents(_ receipt: ArraySlice<UInt8>) throws -> [UInt8] {
        var contentInfo = try BERReader.single(.sequence, in: receipt).reader
        _ = try contentInfo.read(.objectIdentifier)
        var explicit = try contentInfo.readConstructed(.context(0))
        var signedData = try explicit.readConstructed(.sequence)
        _ = try signedData.read(.integer)
        _ = try signedData.read(.set)
        var encapsulated = try signedData.readConstructed(.sequence)
        _ = try encapsulated.read(.objectIdentifier)
        var contents = try encapsulated.readConstructed(.context(0))
        return try contents.readOctetString()
    }
}
