/** What is wrong with a file or folder, for a person who can mend it. */
import { userInfo } from 'node:os'

/** undefined: it is no failure of a file. */
export function describeFileFailure(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return undefined
  const path = 'path' in error && typeof error.path === 'string' ? error.path : undefined
  const code = String(error.code)
  return OF_WRITES[code]?.(path) ?? (path === undefined ? undefined : SENTENCES[code]?.(path))
}

const full = (path?: string) =>
  `The disk is full${path === undefined ? '' : `: ${path} could not be written`}. Make room, then do it again.`

/** A write that fails does not say where. */
const OF_WRITES: Readonly<Record<string, (path?: string) => string>> = {
  ENOSPC: full,
  EDQUOT: full,
  EFBIG: (path = 'A file') =>
    `${path} would be larger than this process may write. Raise its limit (ulimit -f), then do it again.`,
}

const refused = (path: string) => `${path}: the user ${whose()} has no right to it. ${RIGHTS}`

/** The sentences for the codes of errno(3). */
const SENTENCES: Readonly<Record<string, (path: string) => string>> = {
  EACCES: refused,
  EPERM: refused,
  ENOENT: (path) => `There is no ${path}.`,
  EISDIR: (path) => `${path} is a folder, not a file.`,
  ENOTDIR: (path) => `${path}: a part of this path is a file, not a folder.`,
  EEXIST: (path) => `${path} is there already.`,
  EROFS: (path) => `${path} is on a file system that is mounted for reading only.`,
}

const RIGHTS =
  'The service and the commands of the package work with the rights of the user plimsoll, also under sudo: give this user the right, or choose a place that it may use, such as /var/lib/plimsoll.'

/** A container may run as a number without an account. */
function whose(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? '')
  }
}
