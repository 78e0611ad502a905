import Assay
import AssayCore

/// Writes what came of records as NDJSON: one JSON object a record, in UTF-8, each with a line feed.
public struct ReplayLines: Sendable {
    /// About how many bytes the verdict of an assertion has, the most frequent of all.
    private static let usualLength = 1280

    private var json: JSONBytes
    private let isNumbered: Bool

    /// Starts without a line.
    ///
    /// - Parameters:
    ///   - isNumbered: whether the line number of the record and a tab stand before each object.
    ///   - expected: about how many records will be added.
    public init(isNumbered: Bool = false, expecting expected: Int = 0) {
        self.isNumbered = isNumbered
        json = JSONBytes(capacity: expected * ReplayLines.usualLength)
    }

    /// The lines so far.
    public var bytes: [UInt8] { json.bytes }

    /// Adds a record's line: the verdict as `Verdict.json(id:)` gives it, with `against` behind its members under
    /// comparison; for a record without a verdict, its place and the error.
    public mutating func add(_ record: ReplayedRecord) {
        if isNumbered {
            json.integer(record.place.line ?? record.place.number)
            json.raw("\t")
        }
        json.raw("{")
        switch record.judgement {
        case .verdict(let verdict): verdict.write(id: record.id, to: &json)
        case .failure(let failure): write(failure, of: record)
        }
        if let against = record.against {
            json.raw(",\"against\":{")
            switch against {
            case .verdict(let verdict): verdict.write(id: nil, to: &json)
            case .failure(let failure): write(failure)
            }
            json.raw("}")
        }
        json.raw("}\n")
    }

    private mutating func write(_ failure: ReplayFailure, of record: ReplayedRecord) {
        if let id = record.id {
            json.raw("\"id\":")
            json.string(id)
            json.raw(",")
        }
        json.raw("\"file\":")
        json.string(record.place.file.name)
        if let line = record.place.line {
            json.raw(",\"line\":")
            json.integer(line)
        } else if record.place.number > 0 {
            json.raw(",\"record\":")
            json.integer(record.place.number)
        }
        json.raw(",")
        write(failure)
    }

    private mutating func write(_ failure: ReplayFailure) {
        json.raw("\"error\":{\"code\":")
        json.string(failure.code)
        json.raw(",\"message\":")
        json.string(failure.message)
        json.raw("}")
    }
}
