import HTTPTypes
import Hummingbird
import NIOCore

/// `GET /openapi.json`: the API of the public listener as OpenAPI 3.1, with the limits of this service.
enum OpenAPIDocument {
    static func endpoint(_ configuration: ServiceConfiguration) -> Endpoint {
        // Shared by all answers: otherwise slow clients without a token could fill memory with copies.
        let text = ByteBuffer(string: text(configuration) + "\n")
        return Endpoint(.get, "/openapi.json", .all) { (_) throws(Problem) in
            Response(
                status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: text))
        }
    }

    /// The document. Every answer of 400 and above is a problem (RFC 9457).
    static func text(_ configuration: ServiceConfiguration) -> String {
        let limits = configuration.limits
        // A unix socket and an open listener demand no token.
        let security = configuration.isOpen || configuration.listen.path != nil ? "[]" : #"[{"token":[]}]"#
        return """
            {"openapi":"3.1.0",
            "info":{"title":"Assay","version":"1","description":"Verifies that requests come from a genuine app on a genuine \
            device. Limits of this service: a body has at most \(limits.body) bytes, a line of a stream \(limits.line), the head \
            of a request \(limits.headers); \(limits.requests) requests are handled at a time, on \(limits.connections) \
            connections; a body arrives within \(limits.bodyTime) s; a connection is idle for at most \(limits.idleTime) s; \
            Retry-After is \(configuration.retryAfter) s."},
            "servers":[{"url":"/"}],
            "security":\(security),
            "paths":{\(authorization(configuration))
            "/v1/verify":{"post":{"operationId":"verify",
            "summary":"Judges an evidence record, or a stream of them, at the present time.",
            "requestBody":{"required":true,"content":{
            "application/json":{"schema":{"$ref":"#/components/schemas/Record"}},
            "application/x-ndjson":{"schema":{"type":"string","description":"One record a line."}}}},
            "responses":{"200":{"description":"The verdict, accepting or not. Of a stream: one line for each record, a verdict or an \
            object with `problem`.","content":{
            "application/json":{"schema":{"$ref":"#/components/schemas/Verdict"}},
            "application/x-ndjson":{"schema":{"type":"string"}}}},
            \(problems(400, 401, 403, 408, 413, 415, 422, 500, 503))}}},
            "/v1/challenges":{"post":{"operationId":"issueChallenge",
            "summary":"Issues a challenge that can be used once, for policies with `challenge: ledger`.",
            "requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object",
            "additionalProperties":false,"required":["app","kind"],"properties":{
            "app":{"type":"string","minLength":1,"maxLength":128,"description":"An app of the policy."},
            "kind":{"type":"string","minLength":1,"maxLength":128,"description":"The kind of evidence that will carry it.",\
            "examples":["app-attest.attestation"]}}}}}},
            "responses":{"201":{"description":"The challenge.","content":{"application/json":{"schema":{"type":"object",
            "required":["challenge","app","kind","expiresAt"],"properties":{
            "challenge":{"type":"string","description":"32 random bytes as base64url without padding; for approov.proof 16, a nonce. The app may hash this text, or \
            the bytes."},
            "app":{"type":"string"},"kind":{"type":"string"},
            "expiresAt":{"type":"string","format":"date-time"}}}}}},
            \(problems(400, 401, 403, 408, 413, 415, 422, 429, 503))}}},
            "/v1/tokens":{"post":{"operationId":"issueToken",
            "summary":"Exchanges evidence for a token, for apps whose policy has `tokens`.",
            "requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object",
            "additionalProperties":false,"required":["record","challenge","audience"],"properties":{
            "record":{"$ref":"#/components/schemas/Record"},
            "challenge":{"type":"string","maxLength":64,"description":"The challenge as it was issued. The evidence contains the \
            SHA-256 digest of `assay-token`, challenge, audience and jkt in its place, each followed by a line feed."},
            "audience":{"type":"string","maxLength":255},
            "jkt":{"type":"string","maxLength":64,"description":"The SHA-256 thumbprint of the client's P-256 key (RFC 7638)."},
            "jwk":{"type":"object","description":"The client's public key of P-256, in place of jkt: for the formats approov and \
            oauth-client-attestation."},
            "pay":{"type":"string","maxLength":64,"description":"For the format approov: base64 of the SHA-256 digest of the bound \
            values. The evidence covers it as one more line."},
            "limitedUse":{"type":"boolean"},"ear":{"type":"boolean","description":"Whether the token has the claims of EAR."}}}}}},
            "responses":{"201":{"description":"The token.","content":{"application/json":{"schema":{"type":"object",
            "required":["token","tokenType","expiresIn"],"properties":{
            "token":{"type":"string","description":"A JWT of the type assay+jwt, or a token in the policy's format."},\
            "tokenType":{"enum":["DPoP","Bearer","Approov-Token","OAuth-Client-Attestation"]},
            "expiresIn":{"type":"integer","description":"Seconds."}}}}}},
            "403":{"description":"The verdict that rejects the evidence; or a problem of the caller's role.","content":{
            "application/json":{"schema":{"$ref":"#/components/schemas/Verdict"}},
            "application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}},
            \(problems(400, 401, 404, 408, 413, 415, 422, 503))}}},
            "/v1/tokens/debug":{"post":{"operationId":"issueDebugToken",
            "summary":"Exchanges a debug token of the policy for a token with `env: test`, for simulators and CI.",
            "requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object",
            "additionalProperties":false,"required":["app","debugToken","audience"],"properties":{
            "app":{"type":"string","maxLength":128},
            "debugToken":{"type":"string","maxLength":128,"description":"The secret that `assay tokens debug` printed."},
            "audience":{"type":"string","maxLength":255},
            "jkt":{"type":"string","maxLength":64,"description":"The SHA-256 thumbprint of the client's P-256 key (RFC 7638)."},
            "limitedUse":{"type":"boolean"}}}}}},
            "responses":{"201":{"description":"The token.","content":{"application/json":{"schema":{"type":"object",
            "required":["token","tokenType","expiresIn"],"properties":{
            "token":{"type":"string","description":"A JWT of the type assay+jwt."},"tokenType":{"enum":["DPoP","Bearer"]},
            "expiresIn":{"type":"integer","description":"Seconds."}}}}}},
            \(problems(400, 401, 403, 404, 408, 413, 415, 422, 503))}}},
            "/.well-known/jwks.json":{"get":{"operationId":"tokenKeys","security":[],
            "summary":"The public keys of tokens, to be cached for ten minutes.",
            "responses":{"200":{"description":"A JSON Web Key Set.","content":{"application/jwk-set+json":{"schema":{"type":"object"}}}},
            "304":{"description":"The set has not changed."},\(problems(404, 503))}}},
            "/.well-known/openid-configuration":{"get":{"operationId":"tokenMetadata","security":[],
            "summary":"Where the keys of tokens are, and how tokens are signed.",
            "responses":{"200":{"description":"OpenID provider metadata.","content":{"application/json":{"schema":{"type":"object"}}}},
            "304":{"description":"It has not changed."},\(problems(404, 503))}}},
            "/v1/inspect":{"post":{"operationId":"inspect",
            "summary":"Says what a blob of at most \(min(limits.body, InspectEndpoint.bodyLimit)) bytes is, and decodes it. Verifies nothing.",
            "requestBody":{"required":false,"content":{"application/octet-stream":{"schema":{}}}},
            "responses":{"200":{"description":"What `assay inspect --json` prints.","content":{"application/json":{"schema":\
            {"type":"object","required":["name","format","length"],"properties":{"name":{"type":"string"},\
            "format":{"type":["string","null"]},"length":{"type":"integer"}}}}}},
            \(problems(400, 401, 403, 408, 413, 503))}}},
            "/v1/checks":{"get":{"operationId":"checks","security":[],
            "summary":"Every check: what it proves, what it stops, what to look at, and its codes.",
            "responses":{"200":{"description":"What `assay explain --json` prints, as an array.","content":{"application/json":\
            {"schema":{"type":"array","items":{"type":"object"}}}}},
            \(problems(503))}}},
            "/v1/checks/{name}":{"get":{"operationId":"check","security":[],
            "summary":"One check, or the checks that report a code.",
            "parameters":[{"name":"name","in":"path","required":true,"schema":{"type":"string","minLength":1},
            "examples":{"check":{"value":"app-attest.attestation.nonce"},"code":{"value":"challenge-expired"}}}],
            "responses":{"200":{"description":"The check, or the uses of the code.","content":{"application/json":\
            {"schema":{"type":"array","items":{"type":"object"}}}}},
            \(problems(400, 404, 503))}}},
            "/openapi.json":{"get":{"operationId":"openapi","security":[],"summary":"This document.",
            "responses":{"200":{"description":"OpenAPI 3.1.","content":{"application/json":{"schema":{"type":"object"}}}},
            \(problems(503))}}}},
            "components":{
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
            "remedy":{"type":"string","description":"What the client can do."}}},
            "Record":{"type":"object","additionalProperties":false,"required":["kind","evidence"],"properties":{
            "id":{"type":"string","maxLength":1024},"kind":{"type":"string","minLength":1,"maxLength":128},
            "app":{"type":"string","minLength":1,"maxLength":128},"account":{"type":"string","minLength":1,"maxLength":255},
            "deviceToken":{"type":"string","minLength":1,"maxLength":16384},"deviceBits":{"$ref":"#/components/schemas/DeviceBits"},
            "receivedAt":{"type":"string","format":"date-time"},"evidence":{"type":"object"},"expect":{"type":"object"}}},
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
            "judgedAt":{"type":"string","format":"date-time"}}}}}}
            """
    }

    private static let methods = ["get", "head", "post", "put", "patch", "delete", "options"]

    /// Forward auth, for every method; empty without.
    private static func authorization(_ configuration: ServiceConfiguration) -> String {
        guard let dialect = configuration.authorize.dialect else { return "" }
        let fields = IdentityFields.names.map { #""\#($0)":{"required":true,"schema":{"type":"string"}}"# }
        let operations = methods.map { method in
            """
            "\(method)":{"operationId":"authorize-\(method)","security":[],
            "summary":"Whether the request of a gateway's client may pass. Answers the peers of authorize.peers alone, in the \
            dialect \(dialect.rawValue); other methods are answered, too.",
            "responses":{"200":{"description":"The request may pass.","headers":{\(fields.joined(separator: ","))}},
            "401":{"$ref":"#/components/responses/Denial"},"403":{"$ref":"#/components/responses/Denial"},
            \(problems(400, 404, 408, 413, 500, 503))}}
            """
        }
        return """

            "/v1/authorize/{app}":{"parameters":[{"name":"app","in":"path","required":true,"schema":{"type":"string",\
            "minLength":1},"description":"An app or a route of the policy."}],
            \(operations.joined(separator: ",\n"))},
            """
    }

    private static func problems(_ statuses: Int...) -> String {
        statuses.map { "\"\($0)\":{\"$ref\":\"#/components/responses/Problem\"}" }.joined(separator: ",\n")
    }
}
