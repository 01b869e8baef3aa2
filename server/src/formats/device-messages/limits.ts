/** What a device may say at once (docs/guide/device-protocol.md has them as a table). Texts in Unicode characters. */
export const LIMITS = {
  /** The size of one message, or of the body of one sync. */
  bytes: 256 * 1024,
  depth: 16,
  points: 1_000,
  lines: 1_000,
  firmware: 64,
  labels: 16,
  attributes: 64,
  runIdCharacters: 128,
  slugCharacters: 128,
  versionCharacters: 256,
  buildIdCharacters: 256,
  attributeNameCharacters: 64,
  attributeCharacters: 1_024,
  metricNameCharacters: 128,
  labelNameCharacters: 64,
  labelValueCharacters: 256,
  logCharacters: 16_384,
  reasonCharacters: 2_048,
} as const
