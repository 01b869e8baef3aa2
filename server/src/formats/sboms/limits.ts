/** What one SBOM file may cost. The defaults are those of DESIGN section 3. */
export interface SbomLimits {
  /** Bytes after decompression. V8 holds no string of 512 MiB, so more would not help. */
  decompressedBytes: number
  /** Decompressed bytes for each byte of the file. */
  ratio: number
  /** Below this many decompressed bytes the ratio does not count: small repetitive files are no bombs. */
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
