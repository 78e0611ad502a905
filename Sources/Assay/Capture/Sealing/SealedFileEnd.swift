/// The end of a file of sealed records: their number, as the last field of the last record, or as a line of its own behind it. A file
/// without it was cut, or its writer was stopped or has not finished.
///
/// The number is in clear. In a record its seal covers it. A user with the right to write a file can also write its end, or remove the file.
package enum SealedFileEnd {
    /// The name of the field.
    package static let field = "sealedRecords"
    /// What a reader says about sealed records without an end.
    package static let absence =
        "the sealed records have no end: the file was cut, or its writer was stopped or has not finished; records may be missing"

    /// A line of its own for a number of records, without its line feed.
    static func line(records count: Int) -> String { "{\"\(field)\":\(count)}" }
}
