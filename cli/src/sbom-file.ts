/** Refuses what no SBOM can be before anything is created for it. What is inside, the service says. */
import { open } from 'node:fs/promises'
import { EXIT } from './exit-codes.ts'
import { CliError } from './failure.ts'

const HEAD_BYTES = 64 * 1024
const TAG_VALUE_LINE =
  /^[ \t]*(?:SPDXVersion|DataLicense|DocumentName|DocumentNamespace|Creator|PackageName):/m
const GZIP = '\x1f\x8b'
const ZSTD = '\x28\xb5\x2f\xfd'
const BYTE_ORDER_MARK = /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/
/** POSIX.1-1988 ustar: where the header of the first file names the format. */
const TAR = { offset: 257, magic: 'ustar' }

export async function refuseOtherFile(path: string): Promise<void> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    if (canBeSbom(buffer.toString('latin1', 0, bytesRead))) return
  } finally {
    await file.close()
  }
  throw new CliError(
    EXIT.sbomFailed,
    `${path} is not an SBOM: neither JSON nor XML nor SPDX tag-value, nor compressed (gzip, zstd), nor a tar archive. Nothing was created.`,
  )
}

function canBeSbom(head: string): boolean {
  if ([GZIP, ZSTD].some((magic) => head.startsWith(magic))) return true
  if (BYTE_ORDER_MARK.test(head) || head.startsWith(TAR.magic, TAR.offset)) return true
  return /^\s*[[{<]/.test(head) || TAG_VALUE_LINE.test(head)
}
