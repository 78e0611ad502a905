import ArgumentParser
import Assay
import AssayInspection

/// A kind of evidence that the command line accepts as one raw blob.
struct RawKindArgument: ExpressibleByArgument {
    let engine: any InspectableEngine.Type
    /// The engine's declaration of the kind.
    let raw: RawKind

    /// The names, for help and completions.
    static var allValueStrings: [String] {
        FirstParse.isRunning ? [] : EngineRegistry.current.inspectable.flatMap { $0.rawKinds }.map(\.kind.name)
    }

    init?(argument: String) {
        for engine in EngineRegistry.current.inspectable {
            guard let raw = engine.rawKinds.first(where: { $0.kind.name == argument }) else { continue }
            self.engine = engine
            self.raw = raw
            return
        }
        return nil
    }

    /// The options that set evidence fields, for error messages.
    var evidenceOptions: [String] { raw.options.filter { !$0.isOfPolicy }.map { "--\($0.name)" } }

    func option(_ name: String) -> RawOption? { raw.options.first { $0.name == name } }
}
