import ArgumentParser

/// The script of a shell's completions: that of the argument parser, and what it lacks.
enum CompletionScript {
    /// The arguments of `assay completion SHELL` in place of the argument parser's own option for a script.
    static func asCommand(_ arguments: [String]) -> [String] {
        guard arguments.count == 2, arguments[0] == "--generate-completion-script",
            CompletionShell(rawValue: arguments[1]) != nil
        else { return arguments }
        return ["completion", arguments[1]]
    }

    static func text(for shell: CompletionShell) -> String {
        let script = AssayCommand.completionScript(for: shell)
        let commands = AssayCommand.configuration.subcommands.map { $0._commandName }.joined(separator: " ")
        switch shell {
        case .bash: return script + bash
        case .zsh:
            // Before the call at the end of the script.
            return script.replacing(
                "if [[ \"${funcstack[1]}\" =", with: zsh(commands) + "\nif [[ \"${funcstack[1]}\" =")
        default:
            return script + "\ncomplete -c assay -n '__fish_seen_subcommand_from help' -fa '\(commands)'"
        }
    }

    /// `help` is followed by the names of commands, which the argument parser does not offer. Bash ends words at colons, so that the
    /// file of `sqlite:` and `file:` is a word of its own.
    private static let bash = #"""

        _assay_with_values() {
            local word="${COMP_LINE:0:COMP_POINT}"
            word="${word##*[[:space:]=]}"
            if [[ "${word}" =~ ^(sqlite|file):(.*)$ ]]; then
                local prefix=""
                [[ "${2}" == *:* ]] && prefix="${BASH_REMATCH[1]}:"
                local path
                while IFS= read -r path; do COMPREPLY+=("${prefix}${path}"); done < <(compgen -f -- "${BASH_REMATCH[2]}")
                return
            fi
            if [[ "${COMP_WORDS[1]}" == help && "${COMP_CWORD}" -gt 1 ]]; then
                COMP_WORDS=("${COMP_WORDS[0]}" "${COMP_WORDS[@]:2}")
                COMP_CWORD="$((COMP_CWORD - 1))"
                _assay "${1}" "${2}" "${COMP_WORDS[COMP_CWORD - 1]}"
                return
            fi
            _assay "${@}"
            # A value follows.
            [[ "${#COMPREPLY[@]}" -eq 1 && "${COMPREPLY[0]}" == *[:=] ]] && compopt -o nospace 2>/dev/null
            return 0
        }
        complete -o filenames -F _assay_with_values assay
        """#

    private static func zsh(_ commands: String) -> String {
        """
        _assay_help() {
            local -ar commands=(\(commands))
            [[ "${CURRENT}" -eq 2 ]] && _describe -V command commands
        }

        """
    }
}
