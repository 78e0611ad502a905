import AssayCore
import AssayPrimitives

extension RecordFields {
    /// The key of an optional member that is a JSON Web Key. The error contains no part of it.
    func jsonWebKey<Key>(
        _ name: String, _ read: (RecordObject) throws(DecodeError) -> Key
    ) throws(RecordError) -> Key? {
        guard let value = self[name] else { return nil }
        guard case .object(let object) = value.content else {
            throw error(name, "expected a JSON Web Key, found \(value.kindName)")
        }
        do throws(DecodeError) { return try read(object) } catch {
            let member = error.field.isEmpty ? "" : "\(error.field): "
            throw self.error(name, "expected a public key of P-256: \(member)\(error.message)")
        }
    }

    /// The public key of P-256 in `jwk`. A private or symmetric key is refused: it must not leave the client.
    func publicKey() throws(RecordError) -> [UInt8]? {
        try jsonWebKey("jwk") { (object) throws(DecodeError) in
            guard let key = try JSONWebKey(object).key?.p256 else {
                throw DecodeError(.unexpectedValue, at: object.offset, "it is none of P-256")
            }
            return key.x963Representation
        }
    }
}
