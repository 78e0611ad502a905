import AssayPrimitives

/// Finds the values of components in a message (RFC 9421 sections 2.1 and 2.2). Caches parsed sources: without this,
/// many components of one field would cost quadratic time.
struct ComponentValues {
    private struct Source: Hashable {
        let name: String
        let isTrailer: Bool
        let isFromRequest: Bool
    }

    private let message: HTTPMessageParts
    private let rules: SignatureBaseRules
    private var dictionaries: [Source: StructuredDictionary] = [:]
    private var ownDerived: DerivedComponents
    private var requestDerived: DerivedComponents?

    init(_ message: HTTPMessageParts, _ rules: SignatureBaseRules) {
        self.message = message
        self.rules = rules
        ownDerived = DerivedComponents(message, rules)
    }

    mutating func append(
        _ component: SignatureComponent, to output: inout [UInt8]
    ) throws(SignatureBaseError) {
        let parameters = try ComponentParameters(component)
        let start = output.count
        if component.name.utf8.first == UInt8(ascii: "@") {
            try appendDerived(component, parameters, to: &output)
            guard output[start...].allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw SignatureBaseError(.invalidValue, component, "its value is not printable ASCII")
            }
        } else {
            try appendField(component, parameters, to: &output)
            // RFC 9110 section 5.5. Prevents line breaks, which could inject lines into the signature base.
            guard output[start...].allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                throw SignatureBaseError(.invalidValue, component, "its value has control characters")
            }
        }
    }

    private func source(
        _ component: SignatureComponent, _ parameters: ComponentParameters
    ) throws(SignatureBaseError) -> HTTPMessageParts {
        guard parameters.isFromRequest else { return message }
        guard message.status != nil, let request = message.request else {
            throw SignatureBaseError(
                .notInMessage, component, "req is for responses, and takes the request that they answer")
        }
        return request
    }

    private mutating func appendDerived(
        _ component: SignatureComponent, _ parameters: ComponentParameters, to output: inout [UInt8]
    ) throws(SignatureBaseError) {
        guard parameters.isFromRequest else { return try ownDerived.append(component, parameters, to: &output) }
        let source = try source(component, parameters)
        var derived = requestDerived ?? DerivedComponents(source, rules)
        try derived.append(component, parameters, to: &output)
        requestDerived = derived
    }

    // MARK: Fields

    private mutating func appendField(
        _ component: SignatureComponent, _ parameters: ComponentParameters, to output: inout [UInt8]
    ) throws(SignatureBaseError) {
        let isName = component.name.utf8.allSatisfy {
            HTTPFieldText.isTokenCharacter($0) && HTTPFieldText.lowercase($0) == $0
        }
        guard isName, !component.name.isEmpty else {
            throw SignatureBaseError(.invalidName, component, "not the name of a field in lower case")
        }
        if let key = parameters.key {
            let dictionary = try dictionary(component, parameters)
            guard let member = dictionary[key] else {
                throw SignatureBaseError(.notInMessage, component, "the field has no such key")
            }
            try write(component) { () throws(SerialisationError) in
                try StructuredFieldWriter.append(member, to: &output)
            }
        } else if parameters.isByteSequence {
            for (index, line) in try lines(component, parameters).enumerated() {
                if index > 0 { output += [UInt8(ascii: ","), 0x20] }
                try write(component) { () throws(SerialisationError) in
                    try StructuredFieldWriter.append(.byteSequence(Array(line)), to: &output)
                }
            }
        } else if parameters.isStructured {
            output += try structured(component, parameters)
        } else {
            try appendCombined(component, parameters, to: &output)
        }
    }

    /// The lines of a field, trimmed and unfolded.
    private func lines(
        _ component: SignatureComponent, _ parameters: ComponentParameters
    ) throws(SignatureBaseError) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        try forEachLine(component, parameters) { lines.append($0) }
        return lines
    }

    private func forEachLine(
        _ component: SignatureComponent, _ parameters: ComponentParameters, _ body: (ArraySlice<UInt8>) -> Void
    ) throws(SignatureBaseError) {
        let source = try source(component, parameters)
        let fields = parameters.isTrailer ? source.trailers : source.fields
        var isThere = false
        for field in fields where HTTPFieldText.isName(field.name, equalTo: component.name) {
            body(try unfolded(field.value, component))
            isThere = true
        }
        guard isThere else {
            throw SignatureBaseError(
                .notInMessage, component,
                parameters.isTrailer ? "there is no such trailer field" : "there is no such field")
        }
    }

    private func appendCombined(
        _ component: SignatureComponent, _ parameters: ComponentParameters, to output: inout [UInt8]
    ) throws(SignatureBaseError) {
        var isFirst = true
        try forEachLine(component, parameters) { line in
            if !isFirst { output += [UInt8(ascii: ","), 0x20] }
            output += line
            isFirst = false
        }
    }

    /// The value, trimmed and unfolded.
    private func unfolded(
        _ value: String, _ component: SignatureComponent
    ) throws(SignatureBaseError) -> ArraySlice<UInt8> {
        let trimmed = HTTPFieldText.trimmed(Array(value.utf8)[...])
        guard trimmed.contains(where: { $0 == 0x0D || $0 == 0x0A }) else { return trimmed }
        guard rules.lineFolding == .unfold else {
            throw SignatureBaseError(.invalidValue, component, "its value has line breaks")
        }
        return LineFolds.removed(from: Array(value.utf8))[...]
    }

    private mutating func dictionary(
        _ component: SignatureComponent, _ parameters: ComponentParameters
    ) throws(SignatureBaseError) -> StructuredDictionary {
        let source = Source(
            name: component.name, isTrailer: parameters.isTrailer, isFromRequest: parameters.isFromRequest)
        if let known = dictionaries[source] { return known }
        var value: [UInt8] = []
        try appendCombined(component, parameters, to: &value)
        do {
            let dictionary = try StructuredFieldReader.readDictionary(value[...])
            dictionaries[source] = dictionary
            return dictionary
        } catch {
            throw SignatureBaseError(.notStructured, component, error.detail)
        }
    }

    private func structured(
        _ component: SignatureComponent, _ parameters: ComponentParameters
    ) throws(SignatureBaseError) -> [UInt8] {
        guard let type = rules.fieldTypes[component.name] else {
            throw SignatureBaseError(.notStructured, component, "the field is not known to be a structured one")
        }
        var value: [UInt8] = []
        try appendCombined(component, parameters, to: &value)
        do {
            return switch type {
            case .dictionary: try StructuredFieldWriter.write(StructuredFieldReader.readDictionary(value[...]))
            case .list: try StructuredFieldWriter.write(StructuredFieldReader.readList(value[...]))
            case .item: try StructuredFieldWriter.write(StructuredFieldReader.readItem(value[...]))
            }
        } catch let error as DecodeError {
            throw SignatureBaseError(.notStructured, component, error.detail)
        } catch {
            throw SignatureBaseError(.notStructured, component, "\(error)")
        }
    }

    private func write(
        _ component: SignatureComponent, _ body: () throws(SerialisationError) -> Void
    ) throws(SignatureBaseError) {
        do {
            try body()
        } catch {
            throw SignatureBaseError(.notStructured, component, error.description)
        }
    }
}
