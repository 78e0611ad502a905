public import AssayCore

extension Verdict {
    /// The verdict as one line of JSON, with the fields in the documented order. `id` is the name of the judged record.
    public func json(id: String?) -> String {
        String(decoding: jsonBytes(id: id), as: UTF8.self)
    }

    /// The same as bytes.
    package func jsonBytes(id: String?) -> [UInt8] {
        var json = JSONBytes(capacity: 3072)
        json.raw("{")
        write(id: id, to: &json)
        json.raw("}")
        return json.bytes
    }

    /// Writes the members of the verdict's JSON object without brackets, so that the caller can add more.
    package func write(id: String?, to json: inout JSONBytes) {
        if let id {
            json.raw("\"id\":")
            json.string(id)
            json.raw(",")
        }
        json.raw("\"kind\":")
        json.string(kind.name)
        if let app {
            json.raw(",\"app\":")
            json.string(app)
        }
        json.raw(outcome == .accept ? ",\"outcome\":\"accept\",\"failed\":[" : ",\"outcome\":\"reject\",\"failed\":[")
        writeNames(of: .failed, to: &json)
        json.raw("],\"annotated\":[")
        writeNames(of: .annotated, to: &json)
        json.raw("]")
        if let remedy {
            json.raw(",\"remedy\":")
            json.string(remedy.rawValue)
        }
        json.raw(",\"checks\":[")
        for index in checks.indices { checks[index].write(isFirst: index == 0, to: &json) }
        json.raw("]")
        if let subject = engineSubject {
            json.raw(",\"subject\":")
            SubjectField.write(subject.fields, to: &json)
        }
        if let testAuthority {
            json.raw(",\"testAuthority\":")
            json.string(testAuthority)
        }
        if let deviceBits {
            json.raw(",\"deviceBits\":")
            SubjectField.write(deviceBits.fields, to: &json)
        }
        if let property {
            json.raw(",\"property\":{\"value\":")
            json.string(property.value)
            json.raw(",\"signed\":")
            json.flag(property.isSigned)
            json.raw("}")
        }
        if isDurabilityWaived { json.raw(",\"durability\":\"waived\"") }
        json.raw(",\"judgedAt\":")
        json.time(judgedAt)
    }

    private func writeNames(of status: CheckResult.Status, to json: inout JSONBytes) {
        var isFirst = true
        for index in checks.indices where checks[index].status == status {
            if !isFirst { json.raw(",") }
            isFirst = false
            json.string(checks[index].check.name)
        }
    }
}

extension CheckResult {
    /// Writes the result's JSON object. Most results have passed, and most verdicts have twenty.
    // Inlined: a call would copy the result, and count the references of its parts.
    @inline(__always)
    fileprivate func write(isFirst: Bool, to json: inout JSONBytes) {
        let start: StaticString = isFirst ? "{\"check\":\"" : ",{\"check\":\""
        let finding = finding
        switch status {
        case .passed where finding == nil: return json.unescaped(start, check.name, "\",\"status\":\"passed\"}")
        case .passed: json.unescaped(start, check.name, "\",\"status\":\"passed\"")
        case .failed: json.unescaped(start, check.name, "\",\"status\":\"failed\"")
        case .annotated: json.unescaped(start, check.name, "\",\"status\":\"annotated\"")
        case .skipped: json.unescaped(start, check.name, "\",\"status\":\"skipped\"")
        }
        if let because {
            json.raw(",\"because\":")
            json.string(because.description)
        }
        if let finding {
            json.raw(",\"code\":")
            json.string(finding.code)
            json.raw(",\"detail\":")
            json.string(finding.detail)
        }
        json.raw("}")
    }
}

extension SubjectField {
    /// Writes facts as a JSON object.
    fileprivate static func write(_ fields: [SubjectField], to json: inout JSONBytes) {
        json.raw("{")
        for index in fields.indices {
            if index > 0 { json.raw(",") }
            fields[index].write(to: &json)
        }
        json.raw("}")
    }

    private func write(to json: inout JSONBytes) {
        json.string(name)
        json.raw(":")
        switch value {
        case .text(let text): json.string(text)
        case .texts(let texts): json.strings(texts)
        case .integer(let number): json.integer(number)
        case .flag(let flag): json.flag(flag)
        case .integers(let numbers):
            json.raw("[")
            for (index, number) in numbers.enumerated() {
                if index > 0 { json.raw(",") }
                json.integer(number)
            }
            json.raw("]")
        case .object(let fields): SubjectField.write(fields, to: &json)
        case .objects(let groups):
            json.raw("[")
            for (index, fields) in groups.enumerated() {
                if index > 0 { json.raw(",") }
                SubjectField.write(fields, to: &json)
            }
            json.raw("]")
        }
    }
}
