/** What an owner rule asks for, in words. */
import type { OwnerRule } from '@plimsoll/api-client'

interface Conditions {
  components: readonly string[]
  purls: readonly string[]
  files: readonly string[]
  /** Of those it names: empty, any. */
  firmwareNames: readonly string[]
}

/** "components u-boot*, grub*; in Gateway". A rule that asks for nothing fits all. */
export function describeConditions(rule: Conditions): string {
  const { components, purls, files, firmwareNames } = rule
  const asked = [
    listed('components', components),
    listed('package URLs', purls),
    listed('SBOM files', files),
    listed('in', firmwareNames),
  ].filter((text) => text !== '')
  return asked.length === 0 ? 'all findings' : asked.join('; ')
}

const listed = (what: string, texts: readonly string[]) =>
  texts.length === 0 ? '' : `${what} ${texts.join(', ')}`

export const nameFirmwares = ({ firmwares }: Pick<OwnerRule, 'firmwares'>) =>
  firmwares.map(({ name }) => name ?? 'a deleted firmware')
