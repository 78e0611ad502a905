import Assay
import AssayCore
import Hummingbird

/// `GET /openapi.json` of the listener of operators: its API as OpenAPI 3.1.
enum AdminDocument {
    static func endpoint(_ configuration: ServiceConfiguration) -> Endpoint {
        let text = text(configuration)
        return Endpoint(.get, "/openapi.json", .all) { (_) throws(Problem) in .json(text) }
    }

    /// The document. Every answer of 400 and above is a problem (RFC 9457).
    static func text(_ configuration: ServiceConfiguration) -> String {
        let admin = configuration.admin
        let security = admin?.path != nil ? "[]" : #"[{"token":[]}]"#
        let health = admin?.isLocal ?? true ? "[]" : #"[{"token":[]}]"#
        let groups = healthOperations + subjects + keys + policy + audit + operators
        var paths = JSONObject()
        for path in groups.map(\.path).reduce(into: [String](), { if !$0.contains($1) { $0.append($1) } }) {
            var methods = JSONObject()
            for operation in groups where operation.path == path {
                methods.add(operation.method, raw: operation.json(operation.isHealth ? health : security))
            }
            paths.add(path, raw: methods.text)
        }
        return """
            {"openapi":"3.1.0","info":{"title":"Assay for operators","version":"1","description":"What the commands ledger, \
            keys, policy, audit and operators of assay do. The audit trail has the names of operators."},\
            "servers":[{"url":"/"}],"security":\(security),"paths":\(paths.text),"components":{\
            "securitySchemes":{"token":{"type":"http","scheme":"bearer","description":"The token of an operator, from \
            `assay operators add`. On a unix socket the mode of its file decides."}},\
            "responses":{"Problem":{"description":"A problem.","content":{"application/problem+json":{"schema":{\
            "type":"object","required":["type","title","status","detail","code"],"properties":{\
            "type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer"},"detail":{"type":"string"},\
            "code":\(ProblemCode.schema),"field":{"type":"string"},"offset":{"type":"integer"}}}}}}}}}
            """
    }

    /// One method of one path.
    private struct Operation {
        let method: String
        let path: String
        let id: String
        let summary: String
        var query: [(name: String, schema: String)] = []
        /// The media type and the schema of the body.
        var body: (type: String, schema: String)?
        var success = 200
        var type = "application/json"
        var schema = #"{"type":"object"}"#
        var problems: [Int] = [400, 401, 403, 503]
        var isHealth = false
        var isOpen = false

        func json(_ security: String) -> String {
            var object = JSONObject()
            object.add("operationId", text: id)
            object.add("summary", text: summary)
            object.add("security", raw: isOpen ? "[]" : security)
            var parameters = query.map { #"{"name":"\#($0.name)","in":"query","schema":\#($0.schema)}"# }
            if path.contains("{name}") {
                parameters.append(
                    #"{"name":"name","in":"path","required":true,"schema":{"type":"string","minLength":1,"maxLength":255}}"#
                )
            }
            object.add("parameters", raw: JSONText.array(parameters))
            if let body {
                object.add(
                    "requestBody", raw: #"{"required":true,"content":{"\#(body.type)":{"schema":\#(body.schema)}}}"#)
            }
            var responses = JSONObject()
            responses.add(
                "\(success)", raw: #"{"description":"Done.","content":{"\#(type)":{"schema":\#(schema)}}}"#)
            for status in Set(problems + (body == nil ? [] : [408, 413, 415])).sorted() {
                responses.add("\(status)", raw: ##"{"$ref":"#/components/responses/Problem"}"##)
            }
            object.add("responses", raw: responses.text)
            return object.text
        }
    }

    private static let text = #"{"type":"string","minLength":1,"maxLength":255}"#
    private static let time = #"{"type":"string","format":"date-time"}"#
    private static let kind = #"{"enum":["key","device","account","issuer"]}"#
    private static let end =
        #"{"anyOf":[{"const":"never"},{"type":"string","format":"date-time"}]}"#
    private static let pages = [
        (name: "limit", schema: #"{"type":"integer","minimum":1,"maximum":1000,"default":100}"#),
        (name: "cursor", schema: #"{"type":"string","minLength":1,"description":"next of the page before."}"#),
    ]
    private static let list =
        #"{"type":"object","required":["items"],"properties":{"items":{"type":"array","items":{"type":"object"}},"#
        + #""next":{"type":"string"}}}"#

    /// A JSON object with members, of which the first `required` ones are required.
    private static func object(_ members: [(name: String, schema: String)], required: Int) -> (String, String) {
        var properties = JSONObject()
        for member in members { properties.add(member.name, raw: member.schema) }
        let names = members.prefix(required).map { JSONText.string($0.name) }
        return (
            "application/json",
            #"{"type":"object","additionalProperties":false,"required":\#(JSONText.array(names)),"#
                + #""properties":\#(properties.text)}"#
        )
    }

    private static let healthOperations = [
        Operation(
            method: "get", path: "/livez", id: "livez", summary: "Answers while the process does.",
            problems: [401, 403, 503], isHealth: true),
        Operation(
            method: "get", path: "/readyz", id: "readyz", summary: "Whether load balancers should send requests.",
            problems: [401, 403, 503], isHealth: true),
        Operation(
            method: "get", path: "/healthz", id: "healthz", summary: "As readyz.", problems: [401, 403, 503],
            isHealth: true),
        Operation(
            method: "get", path: "/metrics", id: "metrics", summary: "All metrics, for Prometheus.", type: "text/plain",
            schema: #"{"type":"string"}"#, problems: [401, 403, 503], isHealth: true),
        Operation(
            method: "get", path: "/openapi.json", id: "openapi", summary: "This document.", problems: [503],
            isOpen: true),
    ]

    private static let subjects = [
        Operation(
            method: "get", path: "/v1/admin/subjects", id: "subjects",
            summary: "A subject with its keys and standings; a page of blocks or allowances in force; or counts.",
            query: [
                ("key", #"{"type":"string","description":"A key ID, base64 of 32 bytes."}"#), ("device", text),
                ("account", text), ("issuer", text), ("list", #"{"enum":["blocks","allowances"]}"#),
            ] + pages),
        Operation(
            method: "post", path: "/v1/admin/subjects/block", id: "blockSubject",
            summary: "Blocks a subject, in place of a block or an allowance. Without until it has no end.",
            body: object([("kind", kind), ("name", text), ("reason", text), ("until", end)], required: 3)),
        Operation(
            method: "post", path: "/v1/admin/subjects/unblock", id: "unblockSubject",
            summary: "Removes the block or the allowance of a subject.",
            body: object([("kind", kind), ("name", text)], required: 2), problems: [400, 401, 403, 404, 503]),
        Operation(
            method: "post", path: "/v1/admin/subjects/allow", id: "allowSubject",
            summary: "Annotates failures of policy checks instead of enforcing them, for 30 days without until.",
            body: object(
                [
                    ("kind", kind), ("name", text), ("reason", text), ("until", end),
                    ("checks", #"{"type":"array","items":{"type":"string"}}"#),
                ], required: 3), problems: [400, 401, 403, 409, 503]),
        Operation(
            method: "post", path: "/v1/admin/subjects/move", id: "moveKey",
            summary: "Gives an enrolled key to another account, or to none.",
            body: object(
                [("key", text), ("account", #"{"type":["string","null"],"minLength":1,"maxLength":255}"#)], required: 2),
            problems: [400, 401, 403, 404, 503]),
    ]

    private static let keys = [
        Operation(
            method: "get", path: "/v1/admin/keys", id: "keys", summary: "The keys of the key store, without secrets.",
            schema: list, problems: [400, 401, 403, 422, 503]),
        Operation(
            method: "post", path: "/v1/admin/keys", id: "addKey",
            summary: "Adds a key. Its secrets are in parts, as a file would contain them; local listeners only.",
            body: object(
                [
                    ("name", text), ("use", text),
                    ("parts", #"{"type":"object","additionalProperties":{"type":"string"}}"#), ("for", text),
                    ("notBefore", time), ("notAfter", time),
                ], required: 3), success: 201, problems: [400, 401, 403, 409, 422, 503]),
        Operation(
            method: "post", path: "/v1/admin/keys/{name}/retire", id: "retireKey",
            summary: "Retires a key, now or at a time.", body: object([("at", time)], required: 0),
            problems: [400, 401, 403, 404, 409, 422, 503]),
        Operation(
            method: "delete", path: "/v1/admin/keys/{name}", id: "removeKey", summary: "Removes a key permanently.",
            problems: [400, 401, 403, 404, 422, 503]),
    ]

    private static let policy = [
        Operation(
            method: "get", path: "/v1/admin/policy", id: "policy",
            summary: "The policy in force with all defaults, as `policy show` prints it.", type: "application/yaml",
            schema: "{}", problems: [400, 401, 403, 503]),
        Operation(
            method: "post", path: "/v1/admin/policy/check", id: "checkPolicy",
            summary: "The errors and warnings of a policy, as `policy check` prints them.",
            body: ("application/yaml", #"{"type":"string"}"#)),
        Operation(
            method: "post", path: "/v1/admin/policy/reload", id: "reloadPolicy",
            summary: "Reads the policy and the TLS files again. What cannot be used changes nothing.",
            problems: [400, 401, 403, 422, 503]),
    ]

    private static let audit = [
        Operation(
            method: "get", path: "/v1/admin/audit", id: "audit",
            summary: "A page of the audit trail, the first entry first.",
            query: [("since", time), ("operator", text)] + pages, schema: list),
        Operation(
            method: "get", path: "/v1/admin/audit/verify", id: "verifyAudit",
            summary: "Follows the hashes of the audit trail.",
            query: [("expect", #"{"type":"string","pattern":"^[0-9a-fA-F]{64}$"}"#)]),
    ]

    private static let operators = [
        Operation(
            method: "get", path: "/v1/admin/operators", id: "operators", summary: "The operators, in any state.",
            schema: list),
        Operation(
            method: "post", path: "/v1/admin/operators", id: "addOperator",
            summary: "Adds an operator. The answer has its token, once. It ends no later than that of its creator.",
            body: object(
                [("name", text), ("role", #"{"enum":["caller","viewer","operator","admin"]}"#), ("until", time)],
                required: 2), success: 201, problems: [400, 401, 403, 409, 422, 503]),
        Operation(
            method: "delete", path: "/v1/admin/operators/{name}", id: "revokeOperator",
            summary: "Revokes the token of an operator.", problems: [400, 401, 403, 404, 503]),
    ]
}
