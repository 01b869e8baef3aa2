/** What the shells run: they ask `plimsoll __complete`, which knows the commands. */

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** To bash, @ and : part words: what stands before the last of them is left out of an answer. */
const BASH = `# plimsoll completion for bash: source <(plimsoll completion bash)
_plimsoll() {
  local line="\${COMP_LINE:0:COMP_POINT}" value cur before
  local -a words=()
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  cur="\${words[-1]}"
  before="\${cur%"\${cur##*[@:=]}"}"
  COMPREPLY=()
  while IFS=$'\\t' read -r value _; do
    [[ $value == "$cur"* ]] && COMPREPLY+=("$(printf '%q' "\${value#"$before"}")")
  done < <(plimsoll __complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -o nosort -F _plimsoll plimsoll 2>/dev/null || complete -o default -F _plimsoll plimsoll
`

/** Sourced, it registers its function. In a folder of $fpath, its text is that function: the first call has to complete, too. */
const ZSH = `#compdef plimsoll
# plimsoll completion for zsh: source <(plimsoll completion zsh), after compinit
_plimsoll() {
  local line value
  local -a described
  for line in "\${(@f)$(plimsoll __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    value="\${line%%$'\\t'*}"
    [[ -n $value ]] && described+=("\${value//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( \${#described} )); then
    _describe -t plimsoll plimsoll described
  else
    _files
  fi
}
if [[ $funcstack[1] == _plimsoll ]]; then
  _plimsoll
else
  compdef _plimsoll plimsoll
fi
`

const FISH = `# plimsoll completion for fish: plimsoll completion fish | source
function __plimsoll_complete
  set -l words (commandline -opc)
  set -l found (plimsoll __complete -- $words[2..-1] (commandline -ct) 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c plimsoll -f -a '(__plimsoll_complete)'
`

export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH }
