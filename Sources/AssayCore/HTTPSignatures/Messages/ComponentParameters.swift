/// The parsed and mutually consistent parameters of a component (RFC 9421 sections 2.1 to 2.5).
struct ComponentParameters {
    private(set) var isStructured = false
    private(set) var key: String?
    private(set) var isByteSequence = false
    private(set) var isTrailer = false
    private(set) var isFromRequest = false
    private(set) var name: String?

    init(_ component: SignatureComponent) throws(SignatureBaseError) {
        for parameter in component.parameters {
            switch parameter.key {
            case "sf": isStructured = try Self.flag(parameter, component)
            case "bs": isByteSequence = try Self.flag(parameter, component)
            case "tr": isTrailer = try Self.flag(parameter, component)
            case "req": isFromRequest = try Self.flag(parameter, component)
            case "key": key = try Self.string(parameter, component)
            case "name": name = try Self.string(parameter, component)
            default:
                throw SignatureBaseError(
                    .invalidParameter, component, "the parameter \(parameter.key.excerpt) is not known")
            }
        }
        let isDerived = component.name.utf8.first == UInt8(ascii: "@")
        if isByteSequence, isStructured || key != nil {
            throw SignatureBaseError(.invalidParameter, component, "bs does not go with sf or key")
        }
        if isDerived, isStructured || key != nil || isByteSequence || isTrailer {
            throw SignatureBaseError(
                .invalidParameter, component, "sf, key, bs and tr are for fields, not for derived components")
        }
        let isQueryParameter = component.name == "@query-param"
        guard isQueryParameter == (name != nil) else {
            throw SignatureBaseError(
                .invalidParameter, component,
                isQueryParameter ? "@query-param demands the parameter name" : "name is for @query-param only")
        }
    }

    private static func flag(
        _ parameter: StructuredParameter, _ component: SignatureComponent
    ) throws(SignatureBaseError) -> Bool {
        if parameter.value == .boolean(true) { return true }
        throw SignatureBaseError(
            .invalidParameter, component, "\(parameter.key) is a flag that stands alone, without a value")
    }

    private static func string(
        _ parameter: StructuredParameter, _ component: SignatureComponent
    ) throws(SignatureBaseError) -> String {
        if case .string(let text) = parameter.value { return text }
        throw SignatureBaseError(
            .invalidParameter, component, "\(parameter.key) is a String, found \(parameter.value.kindName)")
    }
}
