/** The licence of a component as one expression. */

/** SPDX states the concluded licence first, which stands for the declared one; in CycloneDX all of a list hold. */
export function combineLicences(licences: readonly string[], isSpdx: boolean): string | undefined {
  if (isSpdx || licences.length <= 1) return licences[0]
  return licences.map((one) => `(${one})`).join(' AND ')
}
