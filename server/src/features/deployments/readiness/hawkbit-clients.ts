/** What known hawkBit clients can install, by their user agent (docs/guide/hawkbit.md). */

export interface FirmwarePart {
  /** hawkBit's type of the software module. */
  part: string
}

/** Why the client cannot install these parts, as the end of a sentence. undefined: no limitation is known. */
export function findClientLimitation(
  client: string | null,
  parts: readonly FirmwarePart[],
): string | undefined {
  // Zephyr's client sends no user agent. It accepts exactly one chunk, of the part bApp.
  if (client === null && (parts.length > 1 || parts.some(({ part }) => part !== 'bApp')))
    return 'send no user agent, like Zephyr\'s client, which installs exactly one artifact, of the part "bApp"'
  // RAUC's client installs the first chunk only and reports success.
  if (client?.startsWith('rauc-hawkbit') && parts.length > 1)
    return `use ${client}, which installs only one artifact`
  return undefined
}
