import AssayCore
import AssayPrimitives

extension FuzzTarget {
    /// Structured fields: writing a read value and reading it again gives an equal value.
    static let structuredField = FuzzTarget(
        name: "structured-field", maximumLength: 256,
        dictionary: [
            ";a", ";q=1.0", "=?1", "(", ")", ", ", ":AAAA:", "@1659578233", "%\"%c3%a9\"", "-0.001", "*tok/en",
        ],
        seeds: {
            let values = [
                "0", "042", "-999999999999999", "1.5", "1.50", "-0.001", "123456789012.1", #""""#, #""a b""#,
                #""\"\\""#, "token", "*t/o:k", ":aGVsbG8=:", "::", "?1", "?0", "@1659578233", "@-1",
                #"%"f%c3%bc""#, #"%"""#,
            ]
            let fields = [
                #"sig1=("@method" "a";sf;key="b");created=1618884473;keyid="x", b=:AAAA:"#,
                #"1;a="b\"", tok;b, (1 2);c"#,
                #"@1659578233, %"f%c3%bc";x=-1.5, ?0, 999999999999999"#, "-12.345;a=?0", "  a=1,\t b  ", "a, a, b;c;c",
                "a=1, a=2",
            ]
            let made = values.flatMap { value in
                ["\(value); *=\(value)", "(\(value)  \(value);x-1 );a, ()", "a.b_c*=\(value);a,\tb=(\(value)), c"]
            }
            return (fields + made).map { Array($0.utf8) }
        },
        run: { input in
            let accepted = [StructuredFieldReader.Duplicates.refuse, .lastWins].flatMap { duplicates in
                [
                    StructuredFieldReading.check(
                        input,
                        { (bytes) throws(DecodeError) in
                            try StructuredFieldReader.readItem(bytes, duplicates: duplicates)
                        }, { (item) throws(SerialisationError) in try StructuredFieldWriter.write(item) }),
                    StructuredFieldReading.check(
                        input,
                        { (bytes) throws(DecodeError) in
                            try StructuredFieldReader.readList(bytes, duplicates: duplicates)
                        }, { (list) throws(SerialisationError) in try StructuredFieldWriter.write(list) }),
                    StructuredFieldReading.check(
                        input,
                        { (bytes) throws(DecodeError) in
                            try StructuredFieldReader.readDictionary(bytes, duplicates: duplicates)
                        }, { (dictionary) throws(SerialisationError) in try StructuredFieldWriter.write(dictionary) }),
                ]
            }
            // Without duplicates, both rules give the same value.
            if let strict = try? StructuredFieldReader.readDictionary(input[...], duplicates: .refuse) {
                let loose = try? StructuredFieldReader.readDictionary(input[...], duplicates: .lastWins)
                require(loose == strict, "two readings of a field without duplicates")
                for entry in strict.entries {
                    require(
                        entry.source.upperBound <= input.count && strict[entry.key] == entry.member,
                        "an entry that stands elsewhere: \(entry)")
                }
            }
            return accepted.contains(true)
        })

    /// The fields of signed messages: writing and reading again gives equal values.
    static let signatureFields = FuzzTarget(
        name: "signature-fields", maximumLength: 384,
        dictionary: [
            "\"@method\"", "\"@target-uri\"", ";created=1", ";expires=2", ";keyid=\"k\"", ";alg=\"x\"", ";nonce=\"n\"",
            ";tag=\"t\"", "sha-256=:", "sha-512=:", ";sf", ";bs", ";tr", ";req",
        ],
        seeds: {
            let digest = Base64.encode([UInt8](repeating: 1, count: 32), .standard)
            return [
                #"install=("@method" "@target-uri" "content-digest");alg="ecdsa-p256-sha256";created=1;expires=16"#,
                #"install=:AAAA:, b=:AAEC:"#, #"a="AAAA""#, "sha-256=:\(digest):, md5=:AA==:",
                #"sha-256="\#(digest)""#,
            ].map { Array($0.utf8) }
        },
        run: { input in
            var isAccepted = StructuredFieldReading.check(
                input,
                { (bytes) throws(DecodeError) in try SignatureInputField(bytes) },
                { (field) throws(SerialisationError) in try field.write() }
            ) {
                $0.inputs.map(\.label) == $1.inputs.map(\.label)
                    && $0.inputs.map(\.innerList) == $1.inputs.map(\.innerList)
            }
            for input in (try? SignatureInputField(input[...]))?.inputs ?? [] {
                require(Set(input.components).count == input.components.count, "a component twice: \(input)")
            }
            for form in [ByteForm.byteSequence, .byteSequenceOrString] {
                let isSignature = StructuredFieldReading.check(
                    input,
                    { (bytes) throws(DecodeError) in try SignatureField(bytes, form: form) },
                    { (field) throws(SerialisationError) in try field.write() }
                ) {
                    $0.entries.map(\.label) == $1.entries.map(\.label)
                        && $0.entries.map(\.bytes) == $1.entries.map(\.bytes)
                }
                let isDigest = StructuredFieldReading.check(
                    input,
                    { (bytes) throws(DecodeError) in try ContentDigest(bytes, form: form) },
                    { (field) throws(SerialisationError) in try field.write() }
                ) { $0.values == $1.values }
                isAccepted = isAccepted || isSignature || isDigest
                guard let digest = try? ContentDigest(input[...], form: form) else { continue }
                require(
                    digest.values.allSatisfy { $0.digest.count == $0.algorithm.length }, "a digest of another length")
                require(digest.compare(with: input[...]) != .matches, "a digest of itself")
            }
            return isAccepted
        })
}

/// The rules for every kind of field. Each check returns whether the input is such a field.
enum StructuredFieldReading {
    static func check<Value: Equatable>(
        _ input: [UInt8], _ read: (ArraySlice<UInt8>) throws(DecodeError) -> Value,
        _ write: (Value) throws(SerialisationError) -> [UInt8]
    ) -> Bool {
        check(input, read, write, isSame: ==)
    }

    static func check<Value>(
        _ input: [UInt8], _ read: (ArraySlice<UInt8>) throws(DecodeError) -> Value,
        _ write: (Value) throws(SerialisationError) -> [UInt8], isSame: (Value, Value) -> Bool
    ) -> Bool {
        guard let value = Reading(input, by: read, isSame: isSame).value else { return false }
        do {
            let written = try write(value)
            let again = try read(written[...])
            FuzzTarget.require(isSame(value, again), "another value when written again: \(value), \(again)")
            let twice = try write(again)
            FuzzTarget.require(twice == written, "two texts for one value: \(value)")
            return true
        } catch {
            FuzzTarget.broken("what was read cannot be written and read: \(error), \(value)")
        }
    }
}
