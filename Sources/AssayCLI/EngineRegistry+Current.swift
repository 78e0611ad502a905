package import Assay

extension EngineRegistry {
    /// The engines that the commands know. Tests run commands with an engine more; the declarations of options are static,
    /// so that it cannot be handed to them.
    @TaskLocal package static var current = EngineRegistry.standard
}
