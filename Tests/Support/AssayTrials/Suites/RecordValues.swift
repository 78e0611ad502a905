import AssayCore

/// Typed access to the JSON values of a suite; nil for values of other types.
extension RecordValue {
    var text: String? {
        guard case .text(let text) = content else { return nil }
        return text
    }

    var flag: Bool? {
        guard case .flag(let flag) = content else { return nil }
        return flag
    }

    var array: [RecordValue]? {
        guard case .array(let array) = content else { return nil }
        return array
    }

    var object: RecordObject? {
        guard case .object(let object) = content else { return nil }
        return object
    }
}
