/// Text of any form with encoded blobs in it: log lines, commands, forms without their headers, multipart bodies, YAML, CSV, source
/// code, descriptions such as `Optional("...")`.
package enum EvidenceTextFormat: BlobFormat {
    package static let name = "text with encoded blobs"

    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        if let text = EncodedText(bytes), text.isOnePiece, text.isPlausible || text.hasSpacesForPlus { return nil }
        guard let first = TextScan(bytes).finds.first else { return nil }
        return Recognition(
            .structure,
            because:
                "behind \"\(first.label)\" it has \(Words.count(first.range.count, "character")) of an encoded blob")
    }

    /// Names the blobs, each by the word in front of it. The rest of the text is not shown.
    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        var contents = BlobContents([])
        for find in TextScan(bytes).finds {
            if let raw = find.raw {
                let secret = PrivateKeys.describe(raw)
                contents.annotations.append(
                    Annotation(
                        find.label, at: find.range, value: secret == nil ? find.encoding : "(not shown)",
                        meaning: secret ?? Words.count(raw.count, "byte")))
                if secret != nil { contents.secrets.append(find.range) }
                contents.nested.append(
                    NestedBlob(find.label, encoding: find.encoding ?? "bytes", bytes: raw, at: find.range))
                continue
            }
            let value = HTTPValue(
                find.text, named: find.label, encoding: find.encoding, at: find.range,
                isCredential: CredentialNames.contain(find.label))
            contents.annotations.append(
                Annotation(find.label, at: find.range, value: value.value, meaning: value.meaning))
            if let blob = value.nested { contents.nested.append(blob) }
            if value.isSecret { contents.secrets.append(find.range) }
        }
        contents.unknown = ["what the rest of the text says: only encoded blobs were looked for"]
        return contents
    }
}
