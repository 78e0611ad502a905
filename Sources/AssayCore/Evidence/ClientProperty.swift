/// A text by which an app describes itself, such as its edition. It influences no verdict.
package struct ClientProperty: Sendable, Equatable {
    /// The longest text in bytes, as in Approov's `setUserProperty`.
    package static let limit = 128

    /// The text: 1 to ``limit`` printable ASCII characters.
    package let value: String
    /// Whether the signature of an authentic request covers it. Otherwise the client or the backend only claims it.
    package let isSigned: Bool

    /// A text that is only claimed; nil for none, or for one that is no property.
    package init?(claimed text: String?) {
        guard let text, Self.objection(to: text) == nil else { return nil }
        (value, isSigned) = (text, false)
    }

    /// The value of a field of a request that occurs once.
    ///
    /// - Parameter message: the facts of the request's authentic signature; nil without one.
    package init?(of request: SignedRequest, in field: String, signedBy message: MessageFacts?) {
        let values = request.fields.filter { HTTPFieldText.isName($0.name, equalTo: field) }
        guard values.count == 1, let text = values.first.map({ HTTPFieldText.trimmed($0.value) }),
            Self.objection(to: text) == nil
        else { return nil }
        value = text
        isSigned = message?.components.contains { HTTPFieldText.isName($0, equalTo: field) } ?? false
    }

    /// Why a text is no property; nil if it is one.
    package static func objection(to text: String) -> String? {
        let form = "expected 1 to \(limit) printable ASCII characters"
        guard (1...limit).contains(text.utf8.count) else { return "\(form), found \(text.utf8.count) bytes" }
        guard let place = text.utf8.enumerated().first(where: { !(0x20...0x7E).contains($0.element) }) else {
            return nil
        }
        return "\(form), found the byte \(place.element) at \(place.offset) of it"
    }
}

extension Assessment {
    /// The same assessment with the property that a request has in a field, as far as it has one.
    ///
    /// - Parameter field: the policy's `propertyHeader`; nil for none.
    package func stating(propertyOf request: SignedRequest, in field: String?) -> Assessment {
        guard let field else { return self }
        let message = subject.flatMap { $0.isProven ? $0.message : nil }
        guard let property = ClientProperty(of: request, in: field, signedBy: message) else { return self }
        return stating(property)
    }

    /// The same for the request in a record; a record of other evidence has none.
    package func stating(propertyOf record: EvidenceRecord, in field: String?) -> Assessment {
        guard field != nil, record.evidence["headers"] != nil,
            let request = try? SignedRequest(RecordFields(record.evidence, path: "evidence"))
        else { return self }
        return stating(propertyOf: request, in: field)
    }

    /// The same assessment with a property. One that is signed stays.
    package func stating(_ property: ClientProperty?) -> Assessment {
        guard let property, self.property?.isSigned != true else { return self }
        var changed = self
        changed.property = property
        return changed
    }
}
