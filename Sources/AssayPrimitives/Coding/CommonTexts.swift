#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Preallocated strings for member names and verdicts that are frequent in evidence. A string of more than 15 bytes
/// needs an allocation, which costs more than the look-up here. The list affects only performance.
enum CommonTexts {
    /// The minimum length in bytes. Swift stores shorter strings inline.
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
        /// The bytes of `text`.
        let bytes: ImmortalTable<UInt8>
    }

    /// A hash table with 256 slots, without collision handling.
    private static let places = {
        var places = [Place](repeating: Place(text: "", bytes: ImmortalTable([])), count: 256)
        for text in texts {
            let bytes = Array(text.utf8)
            places[place(of: bytes.span, 0..<bytes.count)] = Place(text: text, bytes: ImmortalTable(bytes))
        }
        return ImmortalTable(places)
    }()

    /// The preallocated string that equals the bytes in `range`, or nil.
    /// - Parameter range: at least ``shortest`` bytes.
    static func text(_ span: Span<UInt8>, _ range: Range<Int>) -> String? {
        let number = place(of: span, range)
        // In place: a copy would change reference counts.
        return unsafe places.withUnsafeBufferPointer { places in
            unsafe isSame(span, range, places[number].bytes) ? places[number].text : nil
        }
    }

    private static func isSame(_ span: Span<UInt8>, _ range: Range<Int>, _ known: ImmortalTable<UInt8>) -> Bool {
        precondition(range.lowerBound >= 0 && range.upperBound <= span.count)
        return unsafe known.withUnsafeBufferPointer { known in
            guard known.count == range.count, let other = known.baseAddress else { return false }
            return unsafe span.withUnsafeBufferPointer { bytes in
                guard let start = bytes.baseAddress else { return false }
                return unsafe memcmp(start + range.lowerBound, other, known.count) == 0
            }
        }
    }

    /// The hash of the first and the last eight bytes.
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
