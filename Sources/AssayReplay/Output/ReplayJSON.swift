package import Assay
import AssayCore

extension ReplayedRecord {
    /// Writes the record's line of NDJSON, without the line feed: the verdict as `assay verify --json` prints it, with
    /// `against` behind its members under comparison; for a record without a verdict, its place and the error.
    package func write(to json: inout JSONBytes) {
        json.raw("{")
        switch judgement {
        case .verdict(let verdict): verdict.write(id: id, to: &json)
        case .failure(let failure):
            if let id {
                json.raw("\"id\":")
                json.string(id)
                json.raw(",")
            }
            json.raw("\"file\":")
            json.string(place.file.name)
            if let line = place.line {
                json.raw(",\"line\":")
                json.integer(line)
            } else if place.number > 0 {
                json.raw(",\"record\":")
                json.integer(place.number)
            }
            json.raw(",")
            failure.write(to: &json)
        }
        if let against {
            json.raw(",\"against\":{")
            switch against {
            case .verdict(let verdict): verdict.write(id: nil, to: &json)
            case .failure(let failure): failure.write(to: &json)
            }
            json.raw("}")
        }
        json.raw("}")
    }
}

extension ReplayFailure {
    fileprivate func write(to json: inout JSONBytes) {
        json.raw("\"error\":{\"code\":")
        json.string(code)
        json.raw(",\"message\":")
        json.string(message)
        json.raw("}")
    }
}
