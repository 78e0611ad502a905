package import AssayCore
package import AssayPrimitives

/// The ledger keeps the pins as operators change them.
extension PinSet: LedgerRegisterContent {
    package static let documentName = "pins"
    package static let title = "the pins of domains"

    /// Reads a stored document.
    package init(reading object: RecordObject) throws(RecordError) {
        do throws(DecodeError) { try self.init(object) } catch {
            throw RecordError(field: error.field, offset: error.offset, error.message)
        }
    }
}
