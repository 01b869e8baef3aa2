/** What the system says of files, in words. */

const FILE_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of its path is no folder',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not use it',
  EPERM: 'this user may not use it',
  EROFS: 'nothing can be written there',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full for this user',
  EIO: 'it cannot be read',
}

export function findFileFault(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return FILE_FAULTS[code]
}

export function explainFileFault(error: unknown): string {
  return findFileFault(error) ?? (error instanceof Error ? error.message : String(error))
}
