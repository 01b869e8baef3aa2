/** Paths of source files, as builds, debug information and vulnerability records write them. */

/** Files that a compiler turns into an object file. */
const COMPILED =
  /\.(?:c|cc|cp|cpp|cxx|c\+\+|m|mm|s|sx|asm|rs|go|zig|d|java|kt|scala|cs|swift|ad[ab]|f|for|f90|f95|f03|pas|nim)$/i
const HEADER = /\.(?:h|hh|hpp|hxx|h\+\+|inc|inl|ipp|tcc)$/i
/** Products of a build. */
const OBJECT = /\.(?:o|obj|lo|a|lib|so|ko|elf|bin|cmd|gch|pch)$/i

const MOST_CHARACTERS = 1_000

export function isCompiledSource(path: string): boolean {
  return COMPILED.test(path)
}

export function isHeader(path: string): boolean {
  return HEADER.test(path)
}

export function isObjectFile(path: string): boolean {
  return OBJECT.test(path)
}

/**
 * The folders of source trees in Yocto's builds and in their debug information:
 * `work-shared/<machine>/kernel-source/`, `/usr/src/kernel/`, `/usr/src/debug/<recipe>/<version>/`.
 */
const BUILD_PREFIX =
  /^.*?(?:^|\/)(?:kernel-source|usr\/src\/kernel|usr\/src\/debug\/[^/]+\/[^/]+)\//

/** The path relative to the source tree, with `/`, without `.` and `..`. Undefined where the text is not a path. */
export function normalizeSourcePath(text: string): string | undefined {
  if (text.length > MOST_CHARACTERS || /[\u0000-\u001f\u007f]/.test(text)) return undefined
  const segments: string[] = []
  for (const segment of text
    .replaceAll('\\', '/')
    .replace(/^[A-Za-z]:/, '')
    .split('/'))
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  const path = segments.join('/')
  const short = path.replace(BUILD_PREFIX, '')
  return short === '' ? undefined : short
}

/**
 * Keys to compare paths from different roots: for files and for their folders (which end in `/`), the last two names
 * (`core/dev.c`), the last name under any folder (`*\/dev.c`), and the name alone where it has no folder (`dev.c`).
 */
export function listComparisonKeys(files: Iterable<string>): string[] {
  const keys = new Set<string>()
  for (const path of withFolders(files)) {
    const end = path.length - 2
    const name = path.lastIndexOf('/', end) + 1
    keys.add(`*/${path.slice(name)}`)
    keys.add(path.slice(name === 0 ? 0 : path.lastIndexOf('/', name - 2) + 1))
  }
  return [...keys].toSorted()
}

function withFolders(files: Iterable<string>): Set<string> {
  const paths = new Set<string>()
  for (const file of files) {
    paths.add(file)
    for (let end = file.lastIndexOf('/'); end > 0; end = file.lastIndexOf('/', end - 1)) {
      const folder = file.slice(0, end + 1)
      // The folders above are already listed.
      if (paths.has(folder)) break
      paths.add(folder)
    }
  }
  return paths
}
