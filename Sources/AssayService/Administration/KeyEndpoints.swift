import Assay
import AssayCore
import AssayPrimitives
import FoundationEssentials
import HTTPTypes

/// `/v1/admin/keys`: what `assay keys` does.
extension Administration {
    var keyEndpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/admin/keys", .administration(.read), "keys",
                "The keys of the key store, without secrets.", content: AdminPage.content, problems: [422]
            ) { (served) async throws(Problem) in
                try await served.requireNoQuery()
                let storage = try sealedKeys()
                let keys: [SealedKey]
                do throws(KeyStoreOutage) { keys = try await storage.sealedKeys() } catch { throw outage(error) }
                let now = Date()
                return AdminPage.response(keys.map { $0.json(at: now) }, next: nil)
            },
            Endpoint(
                .post, "/v1/admin/keys", .administration(.administer), "addKey",
                "Adds a key. Its secrets are in parts, as a file would contain them; local listeners only.",
                body: .json(
                    [
                        "name": .text, "use": .text,
                        "parts": #"{"type":"object","additionalProperties":{"type":"string"}}"#, "for": .text,
                        "notBefore": .time, "notAfter": .time,
                    ], required: 3), success: 201, problems: [409, 422], addKey),
            Endpoint(
                .post, "/v1/admin/keys/{name}/retire", .administration(.change), "retireKey",
                "Retires a key, now or at a time.", parameters: [.pathName],
                body: .json(["at": .time], required: 0), problems: [404, 409, 422]
            ) { (served) async throws(Problem) in
                let name = try served.pathName()
                let time = try await retireKey(name, fields(served, ["at"]), by: served.calledBy?.name)
                return .json(JSONObject(["name": name, "retiredAt": time]).text)
            },
            Endpoint(
                .delete, "/v1/admin/keys/{name}", .administration(.administer), "removeKey",
                "Removes a key permanently.", parameters: [.pathName], problems: [404, 422]
            ) { (served) async throws(Problem) in
                try await served.requireNoQuery()
                let name = try served.pathName()
                let (storage, now) = (try sealedKeys(), Date())
                do throws(KeyStoreFailure) {
                    if let store = dependencies.keyStore {
                        try await store.remove(name, by: served.calledBy?.name, at: now)
                    } else {
                        try await storage.removeSealedKey(name, by: served.calledBy?.name, at: now)
                    }
                } catch {
                    throw problem(error)
                }
                return .json(JSONObject(["name": name]).text)
            },
        ]
    }

    /// Retires a key of the key store at `at` of the fields, or now. Returns the time.
    func retireKey(_ name: String, _ fields: AdminFields, by author: String?) async throws(Problem) -> Date {
        let store = try keyStore()
        let now = Date()
        let time = try fields.time("at") ?? now
        do throws(KeyStoreFailure) { try await store.retire(name, at: time, by: author, now: now) } catch {
            throw problem(error)
        }
        return time
    }

    private func sealedKeys() throws(Problem) -> any SealedKeyStorage {
        if let storage = dependencies.sealedKeys { return storage }
        throw Problem(.unprocessableContent, .noKeyStore, "the ledger of the service stores no keys")
    }

    private func keyStore() throws(Problem) -> SealedKeyStore {
        if let store = dependencies.keyStore { return store }
        throw Problem(
            .unprocessableContent, .noKeyStore,
            "the service has no master key, under which keys are sealed: set masterKey in its configuration")
    }

    /// Adds a key. Its secrets are in the body, so only programs of this machine may send them: the listener has no TLS.
    private func addKey(_ served: inout ServiceRequest) async throws(Problem) -> Response {
        guard configuration.admin?.isLocal ?? true else {
            throw Problem(
                .forbidden, .listenerNotLocal,
                "keys are added on a unix socket or a loopback address, because the listener of operators has no TLS; use "
                    + "`assay keys add`, or listen there")
        }
        let fields = try await fields(served, ["name", "use", "for", "notBefore", "notAfter", "parts"])
        let (name, use) = (try fields.text("name"), try fields.text("use"))
        var parts: [String: SecretBytes] = [:]
        do throws(RecordError) {
            guard let value = fields.fields["parts"] else { throw fields.fields.missing("parts") }
            let object = try RecordFields(value, path: "parts")
            for member in object.object.members {
                guard let text = try object.text(member.name) else { continue }
                parts[member.name] = SecretBytes(Array(text.utf8))
            }
        } catch {
            throw Problem(request: error)
        }
        let window = KeyWindow(notBefore: try fields.time("notBefore"), notAfter: try fields.time("notAfter"))
        let (scope, store, now) = (try fields.optionalText("for"), try keyStore(), Date())
        let key: SealedKey
        do throws(KeyStoreFailure) {
            key = try await store.add(
                name, for: KeyPurpose(use), parts: parts, scope: scope, window: window,
                by: served.calledBy?.name,
                at: now)
        } catch {
            throw problem(error)
        }
        return .json(key.json(at: now), .created)
    }

    /// The problem of a change that the key store does not make.
    private func problem(_ failure: KeyStoreFailure) -> Problem {
        switch failure {
        case .outage(let error): return outage(error)
        case .refusal(let refusal):
            switch refusal {
            case .nameTaken: return Problem(.conflict, .nameTaken, refusal.description)
            case .unknownName: return Problem(.notFound, .unknownKey, refusal.description)
            case .alreadyRetired: return Problem(.conflict, .alreadyRetired, refusal.description)
            case .invalidName: return Problem(.unprocessableContent, .invalidName, refusal.description)
            case .invalidScope: return Problem(.unprocessableContent, .invalidScope, refusal.description)
            case .emptyWindow: return Problem(.unprocessableContent, .emptyWindow, refusal.description)
            case .unknownPurpose: return Problem(.unprocessableContent, .unknownUse, refusal.description)
            case .invalidKey: return Problem(.unprocessableContent, .invalidKey, refusal.description)
            }
        }
    }
}

extension SealedKey {
    /// The key as `keys list --json` prints it.
    fileprivate func json(at now: Date) -> String {
        var object = JSONObject()
        for (name, text) in texts(at: now) { object.add(name, text: text) }
        return object.text
    }
}
