/** An SBOM file as sent → the bytes of the document, or of the archive's documents, inside it. */
import { constants, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { type ArchiveMember, isTar, readTar, TarError } from '../tar.ts'
import { SbomError } from './sbom-error.ts'
import type { SbomLimits } from './limits.ts'
import { startsWith } from './text.ts'

const GZIP = [0x1f, 0x8b]
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd]
/** RFC 8878 section 3.1.2: 0x184D2A50 to 0x184D2A5F, little-endian. */
const ZSTD_SKIPPABLE_TAIL = [0x2a, 0x4d, 0x18]
/** With a larger window a few bytes can claim 128 MiB of memory. */
const ZSTD_WINDOW_LOG_MAX = 23
const MAX_LAYERS = 3

export type UnpackedFile =
  | { kind: 'document'; bytes: Uint8Array }
  | { kind: 'archive'; members: ArchiveMember[] }

/** @throws SbomError `malformed` for broken compression or archives, `too-large` for bombs. */
export function unpack(file: Uint8Array, limits: SbomLimits): UnpackedFile {
  const allowance = Math.min(
    limits.decompressedBytes,
    Math.max(limits.ratioFloorBytes, file.length * limits.ratio),
  )
  if (file.length > limits.decompressedBytes) throw tooLarge(limits, limits.decompressedBytes)
  let bytes = file
  for (let layer = 0; ; layer++) {
    const decompress = chooseDecompressor(bytes)
    if (decompress === undefined) break
    if (layer === MAX_LAYERS)
      throw new SbomError('unsupported', `The file is compressed more than ${MAX_LAYERS} times.`)
    bytes = decompress(bytes, limits, allowance)
  }
  if (!isTar(bytes)) return { kind: 'document', bytes }
  try {
    return { kind: 'archive', members: readTar(bytes) }
  } catch (error) {
    throw error instanceof TarError ? new SbomError('malformed', error.message) : error
  }
}

type Decompress = (bytes: Uint8Array, limits: SbomLimits, allowance: number) => Uint8Array

function chooseDecompressor(bytes: Uint8Array): Decompress | undefined {
  if (startsWith(bytes, GZIP)) return decompressGzip
  if (startsWith(bytes, ZSTD) || isSkippableFrame(bytes, 0)) return decompressZstd
  return undefined
}

function decompressGzip(bytes: Uint8Array, limits: SbomLimits, allowance: number): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: allowance })
  } catch (error) {
    throw decompressionError('gzip', error, limits, allowance)
  }
}

/** Decodes frame after frame, since Node decodes only the first and silently drops the rest. */
function decompressZstd(bytes: Uint8Array, limits: SbomLimits, allowance: number): Uint8Array {
  const parts: Uint8Array[] = []
  let size = 0
  let at = 0
  while (at < bytes.length) {
    if (isSkippableFrame(bytes, at)) {
      at += 8 + new DataView(bytes.buffer, bytes.byteOffset + at).getUint32(4, true)
      continue
    }
    const frame = decompressZstdFrame(bytes.subarray(at), limits, allowance, size)
    parts.push(frame.content)
    size += frame.content.length
    at += frame.consumed
  }
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
}

function decompressZstdFrame(
  bytes: Uint8Array,
  limits: SbomLimits,
  allowance: number,
  already: number,
): { content: Uint8Array; consumed: number } {
  if (!startsWith(bytes, ZSTD))
    throw new SbomError('malformed', 'The zstd compression is broken: no frame follows the first.')
  // zlib refuses a maximum of 0.
  if (already >= allowance) throw tooLarge(limits, allowance)
  try {
    const result: unknown = zstdDecompressSync(bytes, {
      info: true,
      maxOutputLength: allowance - already,
      params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG_MAX },
    })
    if (!hasEngine(result)) throw new TypeError('zlib gave no information on the zstd frame')
    return { content: result.buffer, consumed: result.engine.bytesWritten }
  } catch (error) {
    throw decompressionError('zstd', error, limits, allowance)
  }
}

function isSkippableFrame(bytes: Uint8Array, at: number): boolean {
  if (bytes.length < at + 8) return false
  return ((bytes[at] ?? 0) & 0xf0) === 0x50 && startsWith(bytes, ZSTD_SKIPPABLE_TAIL, at + 1)
}

/** What zlib returns with `info: true`; its types do not say so. */
function hasEngine(
  result: unknown,
): result is { buffer: Uint8Array; engine: { bytesWritten: number } } {
  return typeof result === 'object' && result !== null && 'buffer' in result && 'engine' in result
}

function decompressionError(
  format: string,
  error: unknown,
  limits: SbomLimits,
  allowance: number,
): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  if (error.code === 'ERR_BUFFER_TOO_LARGE') return tooLarge(limits, allowance)
  if (error.code === 'ZSTD_error_frameParameter_windowTooLarge')
    return new SbomError(
      'unsupported',
      `The zstd compression needs a window above ${2 ** (ZSTD_WINDOW_LOG_MAX - 20)} MiB; compress without --long or --ultra.`,
    )
  if (error.code === 'Z_BUF_ERROR')
    return new SbomError(
      'malformed',
      `The ${format} compression ends too early: the file is cut off.`,
    )
  return new SbomError('malformed', `The ${format} compression is broken: ${error.message}.`)
}

function tooLarge(limits: SbomLimits, allowance: number): SbomError {
  if (allowance < limits.decompressedBytes)
    return new SbomError(
      'too-large',
      `The file expands to more than ${limits.ratio} times its size, as a decompression bomb does.`,
    )
  return new SbomError(
    'too-large',
    `The file is larger than ${limits.decompressedBytes} bytes when decompressed.`,
  )
}
