import Assay
import AssayCore
import AssayPrimitives
import AssayTokens

/// The bodies of requests for tokens.
extension TokenEndpoints {
    static func readDebug(_ fields: RecordFields) throws(Problem) -> DebugTokenRequest {
        do throws(RecordError) {
            guard let app = try fields.text("app", atMost: 128) else { throw fields.missing("app") }
            guard let debugToken = try fields.text("debugToken", atMost: 128) else {
                throw fields.missing("debugToken")
            }
            guard let audience = try fields.text("audience", atMost: 255) else { throw fields.missing("audience") }
            return DebugTokenRequest(
                debugToken: debugToken, app: app, audience: audience, keyThumbprint: try fields.text("jkt", atMost: 64),
                isLimitedUse: try flag("limitedUse", fields))
        } catch {
            throw Problem(request: error)
        }
    }

    /// - Returns: the request, and whether it names a list of audiences.
    static func read(_ fields: RecordFields) throws(Problem) -> (TokenRequest, Bool) {
        do throws(RecordError) {
            guard let record = fields["record"] else { throw fields.missing("record") }
            guard let challenge = try fields.text("challenge", atMost: 64) else { throw fields.missing("challenge") }
            let (audiences, isList) = try Self.audiences(fields)
            let thumbprint = try fields.text("jkt", atMost: 64)
            let publicKey = try fields.publicKey()
            if let publicKey, let thumbprint, !JWKThumbprint.p256(publicKey).isByteEqual(to: thumbprint) {
                throw fields.error("jkt", "it is not the thumbprint of jwk; one of them is enough")
            }
            let address = try fields.text("address", atMost: 45)
            if let address, IPAddress(address) == nil {
                throw fields.error("address", "expected an IP address, found \"\(address.excerpt)\"")
            }
            let request = TokenRequest(
                record: try EvidenceRecord(record), challenge: challenge, audiences: audiences,
                keyThumbprint: thumbprint, publicKey: publicKey,
                keyProof: try fields.text("keyProof", atMost: 4096), binding: try fields.text("pay", atMost: 64),
                address: address, isLimitedUse: try flag("limitedUse", fields), hasEAR: try flag("ear", fields),
                claims: try fields.text("claims"), configuration: try heldConfiguration(fields))
            return (request, isList)
        } catch {
            throw Problem(request: error)
        }
    }

    /// The audiences in `audiences`, or the one in `audience`.
    private static func audiences(_ fields: RecordFields) throws(RecordError) -> ([String], isList: Bool) {
        let one = try fields.text("audience", atMost: 255)
        guard fields["audiences"] != nil else {
            guard let one else { throw fields.missing("audience") }
            return ([one], false)
        }
        let audiences = try fields.texts("audiences")
        guard one == nil else { throw fields.error("audience", "expected audience or audiences, found both") }
        guard (1...mostAudiences).contains(audiences.count) else {
            throw fields.error("audiences", "expected 1 to \(mostAudiences) audiences, found \(audiences.count)")
        }
        return (audiences, true)
    }

    private static func heldConfiguration(_ fields: RecordFields) throws(RecordError) -> HeldConfiguration? {
        let (name, modeName) = ("configuration", "configurationMode")
        let word = try fields.text(modeName)
        guard let value = fields[name] else {
            guard word == nil else {
                throw fields.error(modeName, "it goes with \(name), the version that the app has")
            }
            return nil
        }
        guard case .number(let text) = value.content, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let version = Int64(text), version <= HeldConfiguration.largestVersion
        else {
            throw fields.error(
                name,
                "expected a version, a whole number from 0 to \(HeldConfiguration.largestVersion), found \(value.excerpt)"
            )
        }
        guard let mode = PinMode(rawValue: word ?? PinMode.pin.rawValue) else {
            let words = PinMode.allCases.map(\.rawValue).joined(separator: ", ")
            throw fields.error(modeName, "expected one of \(words), found \"\(word?.excerpt ?? "")\"")
        }
        return HeldConfiguration(version: version, mode: mode)
    }

    private static func flag(_ name: String, _ fields: RecordFields) throws(RecordError) -> Bool {
        guard let value = fields[name] else { return false }
        guard case .flag(let flag) = value.content else {
            throw fields.error(name, "expected true or false, found \(value.kindName)")
        }
        return flag
    }
}
