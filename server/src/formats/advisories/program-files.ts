/**
 * Selects the paths of a record's `programFiles` (CVE JSON 5.x, "affected source code files") that prove the vulnerable code
 * absent when none of them was compiled. A wrong proposal is worse than none, so any doubt gives undefined.
 */
import { rememberAnswers } from '../remembered.ts'
import { isCompiledSource, isHeader, normalizeSourcePath } from '../source-paths.ts'

/** A record with more files is about a whole source tree. */
const MOST_FILES = 500

/** Documentation beside the code. */
const PROSE = /\.(?:rst|md|adoc)$/i
const FORGE_FILE = /^https?:\/\/[^/]+\/[^/]+\/[^/]+(?:\/-)?\/(?:blob|tree|raw|src)\/[^/]+\/([^#?]+)/
const WHOLE_FILE_NAME = /^(?:Makefile|Kconfig|Kbuild|CMakeLists|meson|BUILD|configure)\b/i

/**
 * The kernel includes the files of these folders into other files, so lists of compiled files may lack them: kernel/sched/build_policy.c and build_utility.c (since 5.18), kernel/locking/rtmutex_api.c and
 * spinlock_rt.c (since 5.15), lib/vdso/gettimeofday.c in every architecture's vDSO, lib/decompress_*.c in the boot
 * loaders' stubs.
 */
const INCLUDED_INTO_OTHERS = [
  /^kernel\/(?:sched|locking)\//,
  /^lib\/vdso\//,
  /^lib\/(?:decompress|zstd|xz|lz4|lzo|zlib_inflate)/,
]

/** Files, and folders that end in `/`; undefined where their absence would prove nothing. */
export function listVulnerablePaths(programFiles: readonly string[]): string[] | undefined {
  if (programFiles.length > MOST_FILES) return undefined
  const named = programFiles.map((file) => pathOf(file))
  if (named.includes(undefined)) return undefined
  const paths = named.filter((path) => path !== undefined).filter((path) => !PROSE.test(path))
  const sources = paths.filter((path) => isCompiledSource(path) || isFolder(path))
  if (sources.length === 0 || sources.some(isIncludedIntoOthers)) return undefined
  const rest = paths.filter((path) => !sources.includes(path))
  const beside = rest.map((path) => findPrivateFolder(path, sources))
  if (beside.includes(undefined)) return undefined
  return [...new Set([...sources, ...beside.filter((folder) => folder !== undefined)])].toSorted()
}

/** A folder ends in `/`; a last name without extension can only be a folder. */
const pathOf = rememberAnswers((text: string): string | undefined => {
  const [, ofForge] = FORGE_FILE.exec(text) ?? []
  const path = ofForge ?? text
  if (/[:*?<>|"]/.test(path)) return undefined
  const normal = normalizeSourcePath(path)
  if (normal === undefined) return undefined
  const name = normal.slice(normal.lastIndexOf('/') + 1)
  if (path.trimEnd().endsWith('/')) return `${normal}/`
  return name.includes('.') || WHOLE_FILE_NAME.test(name) ? normal : `${normal}/`
})

function isFolder(path: string): boolean {
  return path.endsWith('/')
}

function isIncludedIntoOthers(path: string): boolean {
  return INCLUDED_INTO_OTHERS.some((folder) => folder.test(path))
}

/**
 * A header is not compiled itself but included by others. A header beside vulnerable source files counts as included in its
 * folder only. A header elsewhere (`include/`), or a file that is not code, may be included anywhere.
 */
function findPrivateFolder(path: string, sources: readonly string[]): string | undefined {
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  if (!isHeader(path) || folder === '' || /(?:^|\/)include\//.test(folder)) return undefined
  return sources.some((source) => source.startsWith(folder)) ? folder : undefined
}
