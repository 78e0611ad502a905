/// How the value of a policy field is written: its type for help, how it is read and how it is shown.
package struct FieldForm<Value: Sendable>: Sendable {
    let value: PolicyField.Value
    package let read: @Sendable (PolicyNode, any PolicyFiles) throws(PolicyError) -> Value
    /// The value as a policy has it; nil for none, as with an empty list.
    package let show: @Sendable (Value) -> PolicyNode.Content?

    /// A form with code of its own.
    package init(
        _ value: PolicyField.Value, show: @escaping @Sendable (Value) -> PolicyNode.Content?,
        read: @escaping @Sendable (PolicyNode, any PolicyFiles) throws(PolicyError) -> Value
    ) {
        (self.value, self.read, self.show) = (value, read, show)
    }

    /// A text with a format of its own.
    package static func text(
        _ show: @escaping @Sendable (Value) -> String,
        read: @escaping @Sendable (PolicyNode) throws(PolicyError) -> Value
    ) -> Self {
        Self(.text) {
            .scalar(show($0))
        } read: { (node, _) throws(PolicyError) in
            try read(node)
        }
    }

    /// A list without repetitions.
    ///
    /// - Parameter repeated: the error for an element that is in the list twice.
    package static func list<Element: Equatable>(
        of element: FieldForm<Element>,
        repeated: @escaping @Sendable (String) -> String = { "\($0) is in the list twice" }
    ) -> Self where Value == [Element] {
        Self(.list(element.value)) { list in
            list.isEmpty ? nil : .sequence(list.compactMap { element.show($0).map { .written($0) } })
        } read: { (node, files) throws(PolicyError) in
            var list: Value = []
            for node in try node.elements() {
                let value = try element.read(node, files)
                guard !list.contains(value) else {
                    let text = if case .scalar(let text)? = element.show(value) { text } else { "" }
                    throw node.error(repeated(text))
                }
                list.append(value)
            }
            return list
        }
    }
}

extension FieldForm where Value == String {
    /// A text that is not empty.
    package static var text: Self {
        text {
            $0
        } read: { (node) throws(PolicyError) in
            try node.text()
        }
    }

    /// A text that is not empty and that a rule does not object to.
    package static func text(_ objection: @escaping @Sendable (String) -> String?) -> Self {
        text {
            $0
        } read: { (node) throws(PolicyError) in
            let text = try node.text()
            if let objection = objection(text) { throw node.error(objection) }
            return text
        }
    }
}

extension FieldForm where Value == [String] {
    /// A list of different texts.
    package static var texts: Self { texts() }

    /// A list of different texts, to each of which a rule may object.
    ///
    /// - Parameter repeated: the error for a text that is in the list twice.
    package static func texts(
        repeated: @escaping @Sendable (String) -> String = { "\($0.excerpt) is in the list twice" },
        _ objection: @escaping @Sendable (String) -> String? = { _ in nil }
    ) -> Self {
        Self(.list(.text)) { list in
            list.isEmpty ? nil : .sequence(list.map { .written(.scalar($0)) })
        } read: { (node, _) throws(PolicyError) in
            let texts = try node.uniqueTexts(repeated: repeated)
            if let objection = texts.lazy.compactMap(objection).first { throw node.error(objection) }
            return texts
        }
    }
}

extension FieldForm where Value: CaseIterable & RawRepresentable<String> & SendableMetatype {
    /// One of a few words.
    package static var word: Self {
        Self(.words(Value.self)) {
            .scalar($0.rawValue)
        } read: { (node, _) throws(PolicyError) in
            try node.word(Value.self)
        }
    }
}

extension FieldForm where Value == Bool {
    /// `yes` or `no`.
    package static var flag: Self {
        Self(.words(["yes", "no"])) {
            .scalar($0 ? "yes" : "no")
        } read: { (node, _) throws(PolicyError) in
            let text = try node.text()
            guard ["yes", "no"].containsBytes(of: text) else { throw node.mismatch(with: ["yes", "no"]) }
            return text.isByteEqual(to: "yes")
        }
    }
}

extension FieldForm where Value == Double {
    /// A length of time without limits.
    package static var duration: Self { duration(0...(.infinity), "a length of time") }

    /// A length of time with limits.
    ///
    /// - Parameter allowed: what an error says is expected, such as `at most ten years`.
    package static func duration(_ limits: ClosedRange<Double>, _ allowed: String) -> Self {
        Self(.duration) {
            .scalar(PolicyNode.text(ofSeconds: $0))
        } read: { (node, _) throws(PolicyError) in
            let seconds = try node.duration()
            guard limits.contains(seconds) else { throw node.error("expected \(allowed), found \(node.found)") }
            return seconds
        }
    }
}

extension FieldForm where Value: FixedWidthInteger {
    /// A whole number with limits, in its only decimal form: no plus sign and no leading zeros, which YAML 1.1 reads as octal.
    ///
    /// - Parameter allowed: what an error says is expected, such as `a whole number from 1 to 1000`.
    package static func number(_ limits: ClosedRange<Value>, _ allowed: String) -> Self {
        text {
            "\($0)"
        } read: { (node) throws(PolicyError) in
            let text = try node.text()
            guard let number = Value(text), "\(number)".isByteEqual(to: text), limits.contains(number) else {
                throw node.error("expected \(allowed), found \(node.found)")
            }
            return number
        }
    }

    /// A whole number from 0 on.
    package static var count: Self { number(0...Value.max, "a whole number from 0 to \(Value.max)") }
}
