import Assay

/// Counts the lines of a file, or of several in one, and compares them with the ends of those that are sealed.
package struct SealedLineCount {
    package enum Line: Equatable {
        /// It may be a record.
        case record
        /// It is the last of sealed records, with the problem with their number; nil for none.
        case lastRecord(problem: String?)
        /// It ends sealed records, with the problem with their number; nil for none.
        case end(problem: String?)
    }

    private var count = 0
    private var isSealed = false

    /// Starts at the beginning of a file.
    package init() {}

    /// Whether the last lines are sealed records without an end.
    package var lacksEnd: Bool { isSealed }

    /// Takes the next line that is not blank.
    package mutating func take(_ line: ArraySlice<UInt8>) -> Line {
        let end = Self.records(in: line)
        if end?.isAlone != true {
            if count == 0 { isSealed = Self.isSealed(line) }
            count += 1
        }
        // A record in clear has no such field.
        guard let end, isSealed || end.isAlone else { return .record }
        defer { (count, isSealed) = (0, false) }
        let problem =
            end.count == count
            ? nil
            : "the file has \(count) sealed records up to this line, which counts \(end.count): some were removed or added"
        return end.isAlone ? .end(problem: problem) : .lastRecord(problem: problem)
    }

    /// Takes a line that is too long to be read.
    package mutating func takeUnread() { count += 1 }

    /// Whether a line is a sealed record. Reads no JSON: another line with the text only gets a note about its missing end.
    private static func isSealed(_ line: ArraySlice<UInt8>) -> Bool {
        !contains(line, Array(#""evidence":"#.utf8)) && contains(line, Array(#""sealed":"#.utf8))
    }

    private static func contains(_ line: ArraySlice<UInt8>, _ sought: [UInt8]) -> Bool {
        var start = line.startIndex
        while let index = line[start...].firstIndex(of: sought[0]) {
            if line[index...].starts(with: sought) { return true }
            start = index + 1
        }
        return false
    }

    /// The number of records at the end of a line, and whether the line has nothing else; nil for another line.
    private static func records(in line: ArraySlice<UInt8>) -> (count: Int, isAlone: Bool)? {
        let text = line.suffix(64).reversed().drop { [0x20, 0x09, 0x0D].contains($0) }
        guard text.first == UInt8(ascii: "}") else { return nil }
        let digits = text.dropFirst().prefix { (0x30...0x39).contains($0) }
        let name = Array("\"\(SealedFileEnd.field)\":".utf8.reversed())
        guard let count = Int(String(decoding: digits.reversed(), as: UTF8.self)),
            text.dropFirst(1 + digits.count).starts(with: name)
        else { return nil }
        return (count, text.count == 2 + digits.count + name.count)
    }
}
