import Assay

extension Endpoint {
    /// The bodies of a request or of an answer: schemas by media type.
    typealias Content = KeyValuePairs<String, JSONFragment>

    /// The members `requestBody` and `responses` of the operation.
    static func bodies(
        _ access: Access, _ body: Content, _ isBodyRequired: Bool, _ answers: [Int: JSONFragment], _ problems: [Int]
    ) -> String {
        var problems = Set(problems + [503])
        switch access {
        case .all: break
        case .right: problems.formUnion([401, 403])
        case .administration: problems.formUnion([400, 401, 403])
        }
        if !body.isEmpty { problems.formUnion(isBodyRequired ? [400, 408, 413, 415] : [400, 408, 413]) }
        var responses = JSONObject()
        for status in problems.union(answers.keys).sorted() {
            responses.add("\(status)", raw: (answers[status] ?? .reference("responses/Problem")).json)
        }
        let request = body.isEmpty ? "" : #""requestBody":{"required":\#(isBodyRequired),"content":\#(body.text)},"#
        return #"\#(request)"responses":\#(responses.text)"#
    }

    /// The object of the operation, whose ID is the name and a suffix. What is nil stays unsaid.
    func operation(_ suffix: String, _ security: String?, _ parameters: [JSONFragment]?) -> String {
        let security = security.map { #""security":\#($0),"# } ?? ""
        let parameters = parameters.map { #""parameters":\#(JSONText.array($0.map(\.json))),"# } ?? ""
        return """
            {"operationId":"\(name)\(suffix)","summary":\(JSONText.string(summary)),\(security)\(parameters)\(bodies)}
            """
    }
}

/// A part of an OpenAPI document: a schema, a parameter or an answer.
struct JSONFragment: ExpressibleByStringInterpolation, Sendable {
    let json: String

    init(stringLiteral json: String) { self.json = json }

    // MARK: Schemas

    static let object: Self = #"{"type":"object"}"#
    static let objects: Self = #"{"type":"array","items":{"type":"object"}}"#
    static let time: Self = #"{"type":"string","format":"date-time"}"#

    /// A string, with the least and the greatest length.
    static func string(min: Int? = nil, max: Int? = nil, _ description: String? = nil) -> Self {
        var object = JSONObject()
        object.add("type", text: "string")
        if let min { object.add("minLength", raw: "\(min)") }
        if let max { object.add("maxLength", raw: "\(max)") }
        if let description { object.add("description", text: description) }
        return Self(stringLiteral: object.text)
    }

    /// A component of the document.
    static func reference(_ component: String) -> Self { ##"{"$ref":"#/components/\##(component)"}"## }

    // MARK: Parameters and answers

    /// A parameter of the query.
    static func query(_ name: String, _ schema: Self) -> Self {
        #"{"name":"\#(name)","in":"query","schema":\#(schema.json)}"#
    }

    /// An answer. Without content it has no body.
    static func answer(_ description: String, _ content: Endpoint.Content = [:]) -> Self {
        var object = JSONObject()
        object.add("description", text: description)
        if !content.isEmpty { object.add("content", raw: content.text) }
        return Self(stringLiteral: object.text)
    }
}

extension Endpoint.Content {
    static func json(_ schema: JSONFragment) -> Self { ["application/json": schema] }

    /// An object that has at least these members.
    static func json(_ members: Self) -> Self { json(members, required: members.count, "") }

    /// An object that has no other members, and must have the first `required` ones.
    static func json(_ members: Self, required: Int) -> Self {
        json(members, required: required, #""additionalProperties":false,"#)
    }

    private static func json(_ members: Self, required: Int, _ rule: String) -> Self {
        var properties = JSONObject()
        for (name, schema) in members { properties.add(name, raw: schema.json) }
        let names = JSONText.array(members.prefix(required).map { JSONText.string($0.key) })
        return json(#"{"type":"object",\#(rule)"required":\#(names),"properties":\#(properties.text)}"#)
    }

    fileprivate var text: String {
        var object = JSONObject()
        for (type, schema) in self { object.add(type, raw: #"{"schema":\#(schema.json)}"#) }
        return object.text
    }
}
