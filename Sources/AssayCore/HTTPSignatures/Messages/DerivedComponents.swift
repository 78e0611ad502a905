/// Values derived from the control data of a message (RFC 9421 section 2.2).
struct DerivedComponents {
    private let message: HTTPMessageParts
    private let rules: SignatureBaseRules
    private var target: TargetURI?
    private var query: QueryParameters?

    init(_ message: HTTPMessageParts, _ rules: SignatureBaseRules) {
        self.message = message
        self.rules = rules
    }

    mutating func append(
        _ component: SignatureComponent, _ parameters: ComponentParameters, to output: inout [UInt8]
    ) throws(SignatureBaseError) {
        switch component.name {
        case "@status":
            guard let status = message.status else {
                throw SignatureBaseError(.notInMessage, component, "a request has no status")
            }
            guard (100...999).contains(status) else {
                throw SignatureBaseError(.invalidValue, component, "a status has three digits, found \(status)")
            }
            output.append(contentsOf: String(status).utf8)
        case "@method":
            try requireRequest(component)
            let method = message.method.utf8
            guard !method.isEmpty, method.allSatisfy(HTTPFieldText.isTokenCharacter) else {
                throw SignatureBaseError(.invalidValue, component, "\"\(message.method.excerpt)\" is no method")
            }
            output.append(contentsOf: method)
        case "@target-uri":
            try requireRequest(component)
            guard !message.targetURI.isEmpty else {
                throw SignatureBaseError(.notInMessage, component, "the target URI is not known")
            }
            output.append(contentsOf: message.targetURI.utf8)
        case "@authority":
            let target = try target(component)
            output += rules.authorityWithoutPort ? target.host : target.authority
        case "@scheme": output += try target(component).scheme
        case "@path": output += try target(component).path
        case "@query":
            let target = try target(component)
            output.append(UInt8(ascii: "?"))
            output += target.query ?? []
        case "@request-target": try appendRequestTarget(component, to: &output)
        case "@query-param": try appendQueryParameter(component, parameters.name ?? "", to: &output)
        case "@signature-params":
            throw SignatureBaseError(.unknownComponent, component, "always covered, and not to be listed")
        default: throw SignatureBaseError(.unknownComponent, component, "not a component that is derived")
        }
    }

    private func requireRequest(_ component: SignatureComponent) throws(SignatureBaseError) {
        guard message.status == nil else {
            throw SignatureBaseError(.notInMessage, component, "a response has it only with req")
        }
    }

    private mutating func target(_ component: SignatureComponent) throws(SignatureBaseError) -> TargetURI {
        try requireRequest(component)
        if let target { return target }
        guard let target = TargetURI(message.targetURI) else {
            throw SignatureBaseError(
                .invalidValue, component,
                "\"\(message.targetURI.excerpt)\" is no absolute URI with a host and without user information")
        }
        self.target = target
        return target
    }

    private mutating func appendRequestTarget(
        _ component: SignatureComponent, to output: inout [UInt8]
    ) throws(SignatureBaseError) {
        if let requestTarget = message.requestTarget {
            try requireRequest(component)
            output.append(contentsOf: requestTarget.utf8)
            return
        }
        let target = try target(component)
        output += target.path
        guard let query = target.query else { return }
        output.append(UInt8(ascii: "?"))
        output += query
    }

    private mutating func appendQueryParameter(
        _ component: SignatureComponent, _ name: String, to output: inout [UInt8]
    ) throws(SignatureBaseError) {
        let target = try target(component)
        let query = self.query ?? QueryParameters(target.query ?? [])
        self.query = query
        switch query[name] {
        case .once(let value): output += value
        case .severalTimes:
            throw SignatureBaseError(.ambiguous, component, "the query has several parameters of the name")
        case nil: throw SignatureBaseError(.notInMessage, component, "the query has no such parameter")
        }
    }
}
