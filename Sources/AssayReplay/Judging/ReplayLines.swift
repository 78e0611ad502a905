import Assay
import AssayCore

/// Writes results as NDJSON in UTF-8: one JSON object per record and line.
package struct ReplayLines: Sendable {
    /// The approximate size in bytes of an assertion's verdict, the most frequent kind.
    private static let usualLength = 1280

    private var json: JSONBytes

    /// Starts without lines; reserves memory for about `expected` records.
    package init(expecting expected: Int = 0) {
        json = JSONBytes(capacity: expected * ReplayLines.usualLength)
    }

    /// The lines so far.
    package var bytes: [UInt8] { json.bytes }

    /// Adds a record: its verdict as `Verdict.json(id:)` writes it, and in a comparison the second one as `against`.
    /// Without a verdict, it writes the place and an `error`.
    package mutating func add(_ record: ReplayedRecord) {
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
