/** What pipelines and devices call a firmware: made of the name that people give it. */

const MOST_CHARACTERS = 100

/** "Ströer Gateway (v2)" is "stroer-gateway-v2". Empty where the name has no Latin letter or digit. */
export function createSlug(name: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').replaceAll('ß', 'ss')
  const joined = plain.toLowerCase().replaceAll(/[^a-z0-9._]+/g, '-')
  return joined.slice(0, MOST_CHARACTERS).replaceAll(/^[-._]+|[-._]+$/g, '')
}
