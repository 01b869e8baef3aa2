/** Limits for one SBOM file. docs/design/interface.md has the defaults. */
export interface SbomLimits {
  /** Bytes after decompression. A larger limit would not help: V8 has no strings above 512 MiB. */
  decompressedBytes: number
  /** Decompressed bytes per byte of the file. */
  ratio: number
  /** The ratio applies only above this number of decompressed bytes: small repetitive files are not bombs. */
  ratioFloorBytes: number
  /** Nesting of JSON or XML. */
  depth: number
  /** JSON values, XML elements and attributes, tag-value lines. */
  values: number
  components: number
}

const MEBIBYTE = 1024 * 1024

export const DEFAULT_SBOM_LIMITS: SbomLimits = {
  decompressedBytes: 512 * MEBIBYTE,
  ratio: 200,
  ratioFloorBytes: MEBIBYTE,
  depth: 1_000,
  values: 20_000_000,
  components: 500_000,
}
