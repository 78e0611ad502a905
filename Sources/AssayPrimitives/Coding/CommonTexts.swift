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

    private struct Place: Sendable {
        let text: String
        /// The same text's bytes, with no string to open.
        let bytes: KeptTable<UInt8>

        func isSame(_ span: Span<UInt8>, _ range: Range<Int>) -> Bool {
            unsafe bytes.withUnsafeBufferPointer { known in
                guard known.count == range.count else { return false }
                let known = UnsafeRawBufferPointer(known)
                let last = range.count - 8
                for index in stride(from: 0, to: last, by: 8) {
                    guard
                        unsafe word(span, range.lowerBound + index)
                            == known.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                    else { return false }
                }
                // The last eight, of which some may have been compared already.
                return unsafe word(span, range.lowerBound + last)
                    == known.loadUnaligned(fromByteOffset: last, as: UInt64.self)
            }
        }
    }

    /// One place for each value of a byte.
    private static let places = {
        var places = [Place](repeating: Place(text: "", bytes: KeptTable([])), count: 256)
        for text in texts {
            let bytes = Array(text.utf8)
            places[place(of: bytes.span, 0..<bytes.count)] = Place(text: text, bytes: KeptTable(bytes))
        }
        return KeptTable(places)
    }()

    /// The text that some bytes are, if it is one of these.
    ///
    /// - Parameter range: where the bytes are; at least ``shortest``.
    static func text(_ span: Span<UInt8>, _ range: Range<Int>) -> String? {
        let place = places[place(of: span, range)]
        return place.isSame(span, range) ? place.text : nil
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
