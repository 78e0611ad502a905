import AssayCore
import FoundationEssentials

/// Recognises numbers that count time units since 1970.
package enum EpochTime {
    /// The units, and the numbers that mean times between 2001 and 2100.
    private static let units: [(name: String, perSecond: Double)] = [
        ("seconds", 1), ("milliseconds", 1e3), ("microseconds", 1e6), ("nanoseconds", 1e9),
    ]
    private static let plausible = 978_307_200.0..<4_102_444_800.0

    /// The meaning of a number whose name suggests a time; nil if name or number do not fit.
    ///
    /// - Parameters:
    ///   - number: the number as written.
    ///   - name: the name of the member.
    static func meaning(of number: String, under name: String) -> String? {
        guard isTimeName(name), number.utf8.count <= 32, let value = Double(number) else { return nil }
        for unit in units where plausible.contains(value / unit.perSecond) {
            return describe(value / unit.perSecond, unit: unit.name)
        }
        return nil
    }

    /// The meaning of any number of seconds.
    package static func seconds(_ number: String) -> String? {
        guard number.utf8.count <= 400, let value = Double(number) else { return nil }
        return describe(value, unit: "seconds") ?? "seconds since 1970, beyond all calendars"
    }

    private static func describe(_ seconds: Double, unit: String) -> String? {
        TimeWords.epoch(seconds).map { "\($0.text), \($0.words) (\(unit) since 1970)" }
    }

    private static let names = ["exp", "iat", "nbf", "auth_time", "updated_at", "created", "expires", "expiry"]

    private static let parts = ["time", "date", "_at", "seconds"].map { Array($0.utf8) }

    private static func isTimeName(_ name: String) -> Bool {
        guard name.utf8.count <= 64 else { return false }
        if name.hasSuffix("At") || name.hasSuffix("Millis") { return true }
        let lower = LenientText.lowercased(name)
        let bytes = Array(lower.utf8)
        return names.containsBytes(of: lower) || parts.contains { LenientText.contains(bytes, $0) }
    }
}
