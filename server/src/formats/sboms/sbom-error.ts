/** Why an SBOM cannot be read. The message tells the build engineer what is wrong and where. */
const SBOM_ERROR_CODES = [
  /** No bytes, or only white space. */
  'empty',
  /** Not one of the five formats, whether recognised as something else or not. */
  'not-an-sbom',
  /** An SBOM in a format, version, compression or encoding that is not supported. */
  'unsupported',
  /** One of the five formats, but broken: syntax, encoding, compression, structure. */
  'malformed',
  /** Over one of the limits. */
  'too-large',
] as const
export type SbomErrorCode = (typeof SBOM_ERROR_CODES)[number]

export class SbomError extends Error {
  override readonly name = 'SbomError'
  readonly code: SbomErrorCode
  /** Which of several files parsed together it is about, counted from 0. */
  readonly file: number | undefined

  constructor(code: SbomErrorCode, message: string, file?: number) {
    super(message)
    this.code = code
    this.file = file
  }
}
