import AssayCore
import Foundation

/// What is open to see of a sealed key, as it is stored.
///
/// Times stay the numbers that they are in the file: what is sealed binds these, and a `Date` holds fewer of them.
struct SealedKeyColumns: Sendable, Equatable {
    let name: String
    let purpose: String
    let scope: String?
    let algorithm: String
    let notBefore: Int64?
    let notAfter: Int64?
    var retiredAt: Int64?
    let addedAt: Int64

    /// What they say.
    var entry: SealedKeyEntry {
        SealedKeyEntry(
            name: name, purpose: KeyPurpose(purpose), scope: scope, algorithm: algorithm,
            window: KeyWindow(
                notBefore: notBefore.map(Date.init(stored:)), notAfter: notAfter.map(Date.init(stored:))),
            retiredAt: retiredAt.map(Date.init(stored:)), addedAt: Date(stored: addedAt))
    }

    /// Everything of a row but its sealed parts, which are bound to it: a row that was edited does not open.
    func additionalData(form: UInt8, masterKey: [UInt8]) -> [UInt8] {
        var data = BoundFields()
        data.add("assay key store: sealed key")
        data.add([form])
        data.add(masterKey)
        data.add(name)
        data.add(purpose)
        data.add(scope)
        data.add(algorithm)
        for time in [notBefore, notAfter, retiredAt, addedAt] { data.add(time) }
        return data.bytes
    }
}

/// Fields one after the other such that no two sequences of fields are the same bytes.
private struct BoundFields {
    private(set) var bytes: [UInt8] = []

    /// Adds a field with its length before it.
    mutating func add(_ field: [UInt8]) {
        append(UInt64(field.count))
        bytes += field
    }

    mutating func add(_ text: String) { add(Array(text.utf8)) }

    /// Adds a field that may be missing, which is not the same as empty.
    mutating func add(_ text: String?) {
        bytes.append(text == nil ? 0 : 1)
        if let text { add(text) }
    }

    mutating func add(_ number: Int64?) {
        bytes.append(number == nil ? 0 : 1)
        if let number { append(UInt64(bitPattern: number)) }
    }

    private mutating func append(_ number: UInt64) {
        bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }
}
