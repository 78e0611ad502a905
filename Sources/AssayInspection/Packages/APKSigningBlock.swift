import AssayPrimitives

/// The certificates in the signing block of an .apk (Android, "APK Signature Scheme v2" and v3). The signatures are not verified: the
/// file is that of the operator.
enum APKSigningBlock {
    private static let magic = Array("APK Sig Block 42".utf8)
    /// The blocks of the schemes v2, v3 and v3.1.
    private static let schemes: [UInt32] = [0x7109_871A, 0xF053_68C0, 0x1B93_AD61]
    /// The most bytes of the block.
    private static let limit = 16 << 20
    /// The most certificates: a scheme has up to ten signers.
    private static let certificateLimit = 32

    /// SHA-256 of the first certificate of each signer of each scheme, without repetitions; empty for an .apk without such signatures.
    static func certificateDigests(_ archive: ZipArchive) throws(AppFileProblem) -> [[UInt8]] {
        guard archive.directoryOffset >= 32 else { return [] }
        let footer = try archive.file.bytes(at: archive.directoryOffset - 24, 24)
        guard footer.suffix(16).elementsEqual(magic) else { return [] }
        let size = Int(footer.little32(0))
        guard footer.little32(4) == 0, size >= 24, size <= limit, size + 8 <= archive.directoryOffset else {
            throw AppFileProblem("the signing block of the .apk has the length \(size)")
        }
        let pairs = try archive.file.bytes(at: archive.directoryOffset - size, size - 24)
        var digests: [[UInt8]] = []
        var start = 0
        while pairs.count - start >= 12 {
            let length = Int(pairs.little32(start))
            guard pairs.little32(start + 4) == 0, length >= 4, length <= pairs.count - start - 8 else {
                throw malformed
            }
            if schemes.contains(pairs.little32(start + 8)) {
                let value = pairs[(start + 12)..<(start + 8 + length)]
                for signer in try elements(of: part(value)) {
                    // Signed data: digests, certificates, and more.
                    let signed = try part(signer)
                    let certificates = try part(signed.dropFirst(4 + part(signed).count))
                    let digest = Digest.sha256(Array(try part(certificates)))
                    guard !digests.contains(digest) else { continue }
                    guard digests.count < certificateLimit else {
                        throw AppFileProblem("more than \(certificateLimit) certificates sign the .apk")
                    }
                    digests.append(digest)
                }
            }
            start += 8 + length
        }
        return digests
    }

    private static var malformed: AppFileProblem { AppFileProblem("the signing block of the .apk is malformed") }

    /// The bytes behind their length in 32 bits.
    private static func part(_ bytes: ArraySlice<UInt8>) throws(AppFileProblem) -> ArraySlice<UInt8> {
        guard bytes.count >= 4 else { throw malformed }
        let length = Int(Array(bytes.prefix(4)).little32(0))
        guard length <= bytes.count - 4 else { throw malformed }
        return bytes.dropFirst(4).prefix(length)
    }

    /// The elements of a sequence, each behind its length.
    private static func elements(of bytes: ArraySlice<UInt8>) throws(AppFileProblem) -> [ArraySlice<UInt8>] {
        var (rest, elements) = (bytes, [ArraySlice<UInt8>]())
        while !rest.isEmpty {
            let element = try part(rest)
            elements.append(element)
            rest = rest.dropFirst(4 + element.count)
        }
        return elements
    }
}
