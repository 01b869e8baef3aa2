/** What a release gate may demand of images. What is not known meets no demand. */
import type { FileDemand } from '../gate-rules.ts'
import type { VerificationState } from './judge-image.ts'

export interface DemandedImage {
  /** What people call the version. */
  versionName: string
  state: VerificationState
  /** Why it has this state, as a sentence. */
  reason: string
  testKey: string | null
  statedVersion: string | null
  isNamedVersion: boolean | null
  securityCounter: number | null
  /** null: any counter will do. `because`: who asks for it, such as `as … has`. */
  leastCounter: { value: number; because: string } | null
}

/** `detail`: why the image does not meet the demand, and how to get on. */
export const listUnmet = (image: DemandedImage, demands: readonly FileDemand[]) =>
  demands.flatMap((demand) => {
    const detail = findUnmet(image, demand)
    return detail === undefined ? [] : [{ demand, detail }]
  })

function findUnmet(image: DemandedImage, demand: FileDemand): string | undefined {
  switch (demand) {
    case 'Signed':
      return findUnsigned(image)
    case 'NoTestKey':
      return image.testKey === null
        ? undefined
        : `It is signed with ${image.testKey}, which everybody has. Sign it with a key of your own.`
    case 'NamedVersion':
      return findOtherVersion(image)
    case 'CounterNotLower':
      return findLowerCounter(image)
  }
}

function findUnsigned({ state, reason }: DemandedImage): string | undefined {
  switch (state) {
    case 'Verified':
      return undefined
    case 'Checking':
      return 'It is still being checked. Try again in a moment.'
    case 'Broken':
      return `${reason} Build and upload it again.`
    case 'Untrusted':
    case 'NotSigned':
      return `${reason} Sign it with a trusted key, or trust the key that signs.`
    case 'NotChecked':
    case 'FormatNotKnown':
      return `${reason} Use a format and a signature that can be checked.`
  }
}

function findOtherVersion({
  isNamedVersion,
  statedVersion,
  versionName,
}: DemandedImage): string | undefined {
  if (isNamedVersion === true) return undefined
  if (statedVersion === null)
    return 'It states no version that can be read, so it may be that of another version.'
  return `It states the version ${statedVersion}, and is called ${versionName}. Build it with this version, or upload it to the other.`
}

function findLowerCounter({ securityCounter, leastCounter }: DemandedImage): string | undefined {
  if (!leastCounter) return undefined
  const least = `Build it with ${leastCounter.value} or more, ${leastCounter.because}.`
  if (securityCounter === null) return `It states no security counter. ${least}`
  return securityCounter < leastCounter.value
    ? `Its security counter is ${securityCounter}, so devices may refuse it. ${least}`
    : undefined
}
