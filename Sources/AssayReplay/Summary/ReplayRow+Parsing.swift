import AssayCore

extension ReplayRow {
    /// Reads a row of a summary.
    ///
    /// - Parameter layouts: the lists of checks that rows refer to.
    init(_ value: RecordValue, layouts: [[String]]) throws(SummaryError) {
        id = try value.optional("id")?.text(atMost: RowLimits.name)
        file = try value.member("file").text(atMost: RowLimits.name)
        line = try value.optional("line")?.integer()
        number = try value.member("number").integer()
        time = try value.optional("time")?.time()
        kind = try value.optional("kind")?.text(atMost: RowLimits.name)
        app = try value.optional("app")?.text(atMost: RowLimits.name)
        judgement = try RowJudgement(value.member("judgement"), layouts: layouts)
        if let other = try value.optional("against") {
            if case .flag(true) = other.content {
                against = judgement
            } else {
                against = try RowJudgement(other, layouts: layouts)
            }
        } else {
            against = nil
        }
        var facts: [RowFact] = []
        let texts = try value.optional("subject")?.elements() ?? []
        guard texts.count.isMultiple(of: 2), texts.count <= 2 * RowLimits.facts else {
            throw value.expected("at most \(RowLimits.facts) pairs of name and value")
        }
        for index in stride(from: 0, to: texts.count, by: 2) {
            facts.append(
                RowFact(
                    name: try texts[index].text(atMost: RowLimits.name),
                    value: try texts[index + 1].text(atMost: RowLimits.value)))
        }
        subject = facts
        unmet = try value.optional("unmet").map { (value) throws(SummaryError) in try Self.expectation(value) }
    }

    private static func expectation(_ value: RecordValue) throws(SummaryError) -> EvidenceRecord.Expectation {
        let elements = try value.elements()
        guard let first = elements.first, let outcome = Verdict.Outcome(rawValue: try first.text()),
            elements.count <= RowLimits.expected + 1
        else { throw value.expected("an outcome and names of checks") }
        var failed: [EvidenceRecord.Expectation.Failure] = []
        for element in elements.dropFirst() {
            failed.append(.init(check: try element.text(atMost: RowLimits.name), code: nil))
        }
        return EvidenceRecord.Expectation(outcome: outcome, failed: failed)
    }
}

extension RowJudgement {
    fileprivate init(_ value: RecordValue, layouts: [[String]]) throws(SummaryError) {
        let word = try value.member("outcome")
        guard let outcome = ReplayOutcome(rawValue: try word.text()) else { throw word.expected("an outcome") }
        self.outcome = outcome
        failure = try value.optional("code").map { (code) throws(SummaryError) in
            ReplayFailure(
                try code.text(atMost: RowLimits.name),
                try value.member("message").text(atMost: RowLimits.detail))
        }
        guard let layout = try value.optional("layout") else {
            checks = []
            return
        }
        let number = try layout.integer()
        guard layouts.indices.contains(number) else { throw layout.expected("the number of a layout") }
        let statuses = try value.member("statuses")
        let letters = Array(try statuses.text())
        let names = layouts[number]
        guard letters.count == names.count else { throw statuses.expected("\(names.count) letters") }
        let notes = try value.member("notes")
        var checks: [RowCheck] = []
        for (index, name) in names.enumerated() {
            guard let status = CheckResult.Status(letter: letters[index]) else {
                throw statuses.expected("the letters p, f, a and s")
            }
            checks.append(try RowCheck(name, status, note: try notes.optional("\(index)")))
        }
        self.checks = checks
    }
}

extension RowCheck {
    /// - Parameter note: why it was skipped, as a text; or that, code and detail as an object.
    fileprivate init(_ check: String, _ status: CheckResult.Status, note: RecordValue?) throws(SummaryError) {
        self.check = check
        self.status = status
        guard let note else {
            (because, code, detail) = (nil, nil, nil)
            return
        }
        if case .text = note.content {
            (because, code, detail) = (try note.text(atMost: RowLimits.name), nil, nil)
            return
        }
        because = try note.optional("because")?.text(atMost: RowLimits.name)
        code = try note.optional("code")?.text(atMost: RowLimits.name)
        detail = try note.optional("detail")?.text(atMost: RowLimits.detail)
    }
}
