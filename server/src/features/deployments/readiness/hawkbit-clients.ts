/** What hawkBit clients in the field can take, by the name they give themselves (docs/guide/hawkbit.md). */

export interface OfferedPart {
  /** hawkBit's type of the software module. */
  part: string
}

/** In words for whoever deploys; undefined: nothing is known that speaks against it. */
export function whatClientCannotTake(
  client: string | null,
  parts: readonly OfferedPart[],
): string | undefined {
  // Zephyr's client sends no user agent. It refuses all but one chunk, of this part.
  if (client === null && (parts.length > 1 || parts.some(({ part }) => part !== 'bApp')))
    return 'give no name, as Zephyr\'s client does, which takes one artifact of the part "bApp"'
  // RAUC's installs the first chunk, and says that it is done.
  if (client?.startsWith('rauc-hawkbit') && parts.length > 1)
    return `use ${client}, which takes one artifact`
  return undefined
}
