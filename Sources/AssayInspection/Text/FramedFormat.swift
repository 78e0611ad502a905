/// A binary message around an object of CBOR that evidence is made as: a field of protobuf, a frame of gRPC, a byte string of CBOR,
/// an OCTET STRING of DER, a length in front.
package enum FramedFormat: BlobFormat {
    package static let name = "binary message with CBOR"

    /// The heads of the first keys of attestation objects and assertions, as text strings of CBOR.
    private static let heads: [[UInt8]] = ["fmt", "attStmt", "authData", "signature", "authenticatorData"].map {
        [0x60 | UInt8($0.utf8.count)] + Array($0.utf8)
    }
    /// The number of bytes searched, and the most places that are decoded.
    private static let (searched, tried) = (1 << 20, 4)

    /// Recognises a whole map of CBOR that begins behind other bytes.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        object(in: bytes).map {
            Recognition(
                .structure,
                because: "an object of CBOR of \(Words.count($0.count, "byte")) begins at byte \($0.lowerBound)")
        }
    }

    /// Names the message. The object becomes a nested blob.
    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        guard let range = object(in: bytes) else {
            return BlobContents([Annotation("message", at: bytes.indices, violation: "no object of CBOR is in it")])
        }
        let form = form(bytes[..<range.lowerBound])
        let behind = bytes.count - range.upperBound
        return BlobContents(
            [
                Annotation(
                    "message", at: bytes.indices, value: form,
                    meaning: "\(Words.count(range.lowerBound, "byte")) before the object, \(behind) behind it")
            ],
            nested: [NestedBlob("object", encoding: form, bytes: Array(bytes[range]), at: range)],
            unknown: ["what the bytes around the object say"])
    }

    private static func form(_ head: ArraySlice<UInt8>) -> String {
        switch head.first ?? 0 {
        case 0x40...0x5B where head.count <= 9: "byte string of CBOR"
        case 0x04 where head.count <= 6: "OCTET STRING of DER"
        default: "field of protobuf or of another binary message"
        }
    }

    private static func object(in bytes: [UInt8]) -> Range<Int>? {
        var left = tried
        for start in bytes.indices.dropFirst().prefix(searched) where (0xA1...0xA4).contains(bytes[start]) {
            guard heads.contains(where: { bytes[(start + 1)...].starts(with: $0) }) else { continue }
            let (node, end) = LenientCBOR.read(bytes[start...])
            let isEvidence = node["authData"]?.byteRange != nil || node["authenticatorData"]?.byteRange != nil
            if !node.isBroken, isEvidence { return start..<end }
            left -= 1
            if left == 0 { return nil }
        }
        return nil
    }
}
