/// Texts that evidence has again and again, as strings that are there already: names of members, and verdicts.
///
/// A string of more than fifteen bytes needs memory of its own, and making it costs more than to find that it is there.
/// What is not among these is made as any other text; nothing depends on which are.
enum CommonTexts {
    /// How many bytes the shortest has. Any less are a string without memory of its own.
    static let shortest = 16

    private static let texts = [
        "appAccessRiskVerdict", "appLicensingVerdict", "appRecognitionVerdict", "authenticatorData",
        "certificateSha256Digest", "deviceActivityLevel", "deviceAttributes", "deviceRecognitionVerdict",
        "environmentDetails", "isTestingResponse", "legacyDeviceRecognitionVerdict", "locationSpoofingRiskVerdict",
        "playProtectVerdict", "recentDeviceActivity", "requestPackageName", "tokenPayloadExternal",
        "MEETS_BASIC_INTEGRITY", "MEETS_DEVICE_INTEGRITY", "MEETS_STRONG_INTEGRITY", "MEETS_VIRTUAL_INTEGRITY",
        "UNKNOWN_INSTALLED", "UNRECOGNIZED_VERSION",
    ]

    /// One place for each value of a byte, made once and kept. Not an array: threads would contend for counting its
    /// references. Never written to again.
    private nonisolated(unsafe) static let places = {
        let places = UnsafeMutableBufferPointer<String>.allocate(capacity: 256)
        unsafe places.initialize(repeating: "")
        for text in texts {
            let bytes = Array(text.utf8)
            unsafe places[place(of: bytes.span, 0..<bytes.count)] = text
        }
        return UnsafeBufferPointer(places)
    }()

    /// The text that some bytes are, if it is one of these.
    ///
    /// - Parameter range: where the bytes are; at least ``shortest``.
    static func text(_ span: Span<UInt8>, _ range: Range<Int>) -> String? {
        let text = unsafe places[place(of: span, range)]
        return isSame(text, span, range) ? text : nil
    }

    private static func isSame(_ text: String, _ span: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard text.utf8.count == range.count else { return false }
        let isSame = unsafe text.utf8.withContiguousStorageIfAvailable { known in
            let known = UnsafeRawBufferPointer(known)
            for index in stride(from: 0, to: range.count - 8, by: 8) {
                guard
                    unsafe word(span, range.lowerBound + index)
                        == known.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                else { return false }
            }
            // The last eight, of which some may have been compared already.
            return unsafe word(span, range.upperBound - 8)
                == known.loadUnaligned(fromByteOffset: range.count - 8, as: UInt64.self)
        }
        return isSame ?? false
    }

    /// Depends on the first and the last eight bytes.
    private static func place(of span: Span<UInt8>, _ range: Range<Int>) -> Int {
        let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
        let mixed = (word(span, range.lowerBound) &* factor ^ word(span, range.upperBound - 8)) &* factor
        return Int(truncatingIfNeeded: mixed >> 56)
    }

    private static func word(_ span: Span<UInt8>, _ position: Int) -> UInt64 {
        precondition(position >= 0 && position + 8 <= span.count)
        return unsafe span.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
    }
}
