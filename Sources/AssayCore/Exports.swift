// `import AssayCore` also gives access to the public types of this module.
@_exported public import AssayPrimitives
