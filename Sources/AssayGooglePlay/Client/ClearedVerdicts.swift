import AssayCore

/// Tells the answer on a token that Google has decoded before.
///
/// Google protects against replay: decoded again, a token has no device label any more, and its app is UNEVALUATED.
enum ClearedVerdicts {
    /// Whether a payload may be one with cleared verdicts. A genuine verdict on a device and app of which Google knows
    /// nothing looks the same.
    static func mayBe(_ payload: RecordObject) -> Bool {
        if case .array(let labels) = member(payload, "deviceIntegrity", "deviceRecognitionVerdict"), !labels.isEmpty {
            return false
        }
        guard case .text(let verdict) = member(payload, "appIntegrity", "appRecognitionVerdict") else { return true }
        return verdict.isByteEqual(to: "UNEVALUATED")
    }

    private static func member(_ payload: RecordObject, _ block: String, _ name: String) -> RecordValue.Content? {
        guard case .object(let block) = payload[block]?.content else { return nil }
        return block[name]?.content
    }
}
