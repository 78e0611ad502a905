import Assay
import HTTPTypes
import NIOCore

/// `GET /openapi.json`: the endpoints of a listener as OpenAPI 3.1. Every answer of 400 and above is a problem (RFC 9457).
struct OpenAPIDocument {
    private static let none = "[]"
    private static let token = #"[{"token":[]}]"#

    private let title: String
    private let description: String
    /// What operations demand that say nothing else.
    private let security: String
    /// What monitoring demands; nil on the public listener, whose operations state neither what the document states nor that they
    /// have no parameters.
    private var monitoring: String?
    private let components: String

    /// The document of the public listener, with the limits of this service.
    static func ofPublicListener(_ configuration: ServiceConfiguration) -> OpenAPIDocument {
        let limits = configuration.limits
        return OpenAPIDocument(
            title: "Assay",
            description: """
                Verifies that requests come from a genuine app on a genuine device. Limits of this service: a body has at most \
                \(limits.body) bytes, a line of a stream \(limits.line), the head of a request \(limits.headers); \
                \(limits.requests) requests are handled at a time, on \(limits.connections) connections; a body arrives within \
                \(limits.bodyTime) s; a connection is idle for at most \(limits.idleTime) s; Retry-After is \
                \(configuration.retryAfter) s.
                """,
            // A unix socket and an open listener demand no token.
            security: configuration.isOpen || configuration.listen.path != nil ? none : token,
            components: publicComponents)
    }

    /// The document of the listener of operators.
    static func ofOperators(_ configuration: ServiceConfiguration) -> OpenAPIDocument {
        OpenAPIDocument(
            title: "Assay for operators",
            description: """
                What the commands ledger, keys, policy, audit and operators of assay do. The audit trail has the names of \
                operators.
                """,
            security: configuration.admin?.path != nil ? none : token,
            monitoring: configuration.admin?.isLocal ?? true ? none : token, components: operatorComponents)
    }

    /// Adds the endpoint of the document, which describes this endpoint too.
    func describing(_ endpoints: [Endpoint]) -> [Endpoint] {
        // Shared by all answers: otherwise slow clients without a token could fill memory with copies.
        endpoints + [endpoint(ByteBuffer(string: text(of: endpoints + [endpoint(ByteBuffer())]) + "\n"))]
    }

    private func endpoint(_ text: ByteBuffer) -> Endpoint {
        Endpoint(
            .get, "/openapi.json", .all, "openapi", "This document.",
            outcome: monitoring == nil ? "OpenAPI 3.1." : "Done."
        ) { (_) throws(Problem) in .bytes(text, .ok, [.contentType: "application/json"]) }
    }

    private func text(of endpoints: [Endpoint]) -> String {
        var (paths, methods) = (JSONObject(), JSONObject())
        for (index, endpoint) in endpoints.enumerated() {
            let security: String? =
                switch endpoint.access {
                case .all: Self.none
                case .right: monitoring
                case .administration: self.security
                }
            let parameters = endpoint.parameters.isEmpty && monitoring == nil ? nil : endpoint.parameters
            if let method = endpoint.method {
                methods.add(method.rawValue.lowercased(), raw: endpoint.operation("", security, parameters))
            } else {
                methods.add("parameters", raw: JSONText.array(endpoint.parameters.map(\.json)))
                for method in ["get", "head", "post", "put", "patch", "delete", "options"] {
                    methods.add(method, raw: endpoint.operation("-" + method, security, nil))
                }
            }
            // The methods of a path follow each other.
            guard index + 1 == endpoints.count || endpoints[index + 1].route != endpoint.route else { continue }
            paths.add(endpoint.route, raw: methods.text)
            methods = JSONObject()
        }
        return """
            {"openapi":"3.1.0","info":{"title":"\(title)","version":"1","description":\(JSONText.string(description))},\
            "servers":[{"url":"/"}],"security":\(security),"paths":\(paths.text),"components":{\(components)}}
            """
    }

    private static let publicComponents = """
        "securitySchemes":{"token":{"type":"http","scheme":"bearer","description":"The token of an operator, from `assay \
        operators add`. A unix socket needs none."}},
        "responses":{"Problem":{"description":"A problem.","content":{"application/problem+json":{"schema":\
        {"$ref":"#/components/schemas/Problem"}}}},
        "Denial":{"description":"The request may not pass.","content":{"application/json":{"schema":\
        {"$ref":"#/components/schemas/Denial"}},"application/problem+json":{"schema":\
        {"$ref":"#/components/schemas/Problem"}}}}},
        "schemas":{
        "Denial":{"type":"object","properties":{"error":{"type":"string"},"code":{"type":"string"},\
        "remedy":{"type":"string"}}},
        "Problem":{"type":"object","required":["type","title","status","detail","code"],"properties":{
        "type":{"type":"string","description":"urn:assay:problem: and the code."},"title":{"type":"string"},
        "status":{"type":"integer"},"detail":{"type":"string"},"code":\(ProblemCode.schema),
        "field":{"type":"string","description":"The field of the record that is wrong."},
        "offset":{"type":"integer","description":"The byte of the body that is wrong."},
        "remedy":{"type":"string","description":"What the client can do."},
        "error":{"enum":["UNKNOWN_KEY","DISABLED","BAD_KEY","BAD_PAYLOAD"],"description":"Of secrets and claims."}}},
        "Record":{"type":"object","additionalProperties":false,"required":["kind","evidence"],"properties":{
        "id":{"type":"string","maxLength":1024},"kind":{"type":"string","minLength":1,"maxLength":128},
        "app":{"type":"string","minLength":1,"maxLength":128},"account":{"type":"string","minLength":1,"maxLength":255},
        "deviceToken":{"type":"string","minLength":1,"maxLength":16384},"deviceBits":{"$ref":"#/components/schemas/DeviceBits"},
        "property":{"type":"string","minLength":1,"maxLength":128,"pattern":"^[ -~]*$"},
        "receivedAt":{"type":"string","format":"date-time"},"evidence":{"type":"object"},
        "redacted":{"type":"array","items":{"type":"string"}},"expect":{"type":"object"}}},
        "DeviceBits":{"type":"object","additionalProperties":false,"required":["bit0","bit1"],"properties":{
        "bit0":{"type":"boolean"},"bit1":{"type":"boolean"},"changedIn":{"type":"string","maxLength":7}}},
        "Verdict":{"type":"object","required":["kind","outcome","failed","annotated","checks","judgedAt"],"properties":{
        "id":{"type":"string"},"kind":{"type":"string"},"app":{"type":"string"},
        "outcome":{"enum":["accept","reject"]},
        "failed":{"type":"array","items":{"type":"string"}},"annotated":{"type":"array","items":{"type":"string"}},
        "remedy":{"enum":["retry","new-challenge","new-attestation","update-app","update-system","contact-support","none"]},
        "checks":{"type":"array","items":{"type":"object","required":["check","status"],"properties":{
        "check":{"type":"string"},"status":{"enum":["passed","failed","annotated","skipped"]},
        "because":{"type":"string"},"code":{"type":"string"},"detail":{"type":"string"}}}},
        "subject":{"type":"object"},"testAuthority":{"type":"string"},
        "deviceBits":{"$ref":"#/components/schemas/DeviceBits"},"durability":{"enum":["waived"]},
        "property":{"type":"object","required":["value","signed"],"properties":{"value":{"type":"string"},\
        "signed":{"type":"boolean"}}},
        "judgedAt":{"type":"string","format":"date-time"}}}}
        """

    private static let operatorComponents = """
        "securitySchemes":{"token":{"type":"http","scheme":"bearer","description":"The token of an operator, from \
        `assay operators add`. On a unix socket the mode of its file decides."}},\
        "responses":{"Problem":{"description":"A problem.","content":{"application/problem+json":{"schema":{\
        "type":"object","required":["type","title","status","detail","code"],"properties":{\
        "type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer"},"detail":{"type":"string"},\
        "code":\(ProblemCode.schema),"field":{"type":"string"},"offset":{"type":"integer"}}}}}}}
        """
}
