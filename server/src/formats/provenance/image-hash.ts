/** What devices say of the image that runs: the attribute `imageHash.<slug>`, or `imageHash` of a device that runs nothing else. */
import { cutText } from '../shorten.ts'

const NAME = 'imageHash'
const PREFIXED = /^sha-?(256|384|512)[:=]?\s*([0-9a-f]+)$/
const HEXADECIMAL = /^[0-9a-f]+$/
const STRONG_BITS = new Set([256, 384, 512])
/** What is no hash is shown as the device said it, up to so many characters. */
const MOST_CHARACTERS = 200

/** null: it reports none, or an empty text. */
export function readImageHash(
  attributes: Readonly<Record<string, unknown>>,
  { slug, isAlone }: { slug: string; isAlone: boolean },
): string | null {
  const own = readText(attributes, `${NAME}.${slug}`)
  const said = own ?? (isAlone ? readText(attributes, NAME) : undefined)
  return said === undefined ? null : normaliseHash(said)
}

function readText(attributes: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined
}

/** Lower case, without `sha256:` in front of as many digits as that has. Other texts stay as they are, and are no hash. */
export function normaliseHash(said: string): string | null {
  const text = said.trim().toLowerCase()
  const [, bits, digits = ''] = PREFIXED.exec(text) ?? []
  const hash = digits.length * 4 === Number(bits) ? digits : text
  return hash === '' ? null : cutText(hash, MOST_CHARACTERS)
}

/** Whether it can be the hash of an image: SHA-256, SHA-384 or SHA-512 in hexadecimal. */
export const isImageHash = (hash: string): boolean =>
  HEXADECIMAL.test(hash) && STRONG_BITS.has(hash.length * 4)

export const isImageAttribute = (name: string): boolean =>
  name === NAME || name.startsWith(`${NAME}.`)

/**
 * What a device says of the image of a version: a hash or the build id of it, none, a text that is no hash, the hash of another
 * version's image, or a hash of an image that nobody uploaded.
 */
export const IMAGE_REPORT_STATES = [
  'Proved',
  'NotReported',
  'NotAHash',
  'OtherImage',
  'UnknownImage',
] as const
type ImageReportState = (typeof IMAGE_REPORT_STATES)[number]

export interface ImageOwner {
  id: string
  name: string
  firmware: { id: string; name: string; slug: string }
}

export interface ImageReport {
  /** null: it reports none. */
  hash: string | null
  state: ImageReportState
  /** Versions whose image has the hash. */
  imageOf: ImageOwner[]
}

export function judgeImageReport(
  {
    imageHash: hash,
    buildId,
    firmwareVersionId,
  }: { imageHash: string | null; buildId: string | null; firmwareVersionId: string | null },
  owners: ReadonlyMap<string, ImageOwner[]>,
): ImageReport {
  const imageOf = hash === null ? [] : (owners.get(hash) ?? [])
  const tell = (state: ImageReportState): ImageReport => ({ hash, state, imageOf })
  if (hash === null)
    return tell(buildId !== null && firmwareVersionId !== null ? 'Proved' : 'NotReported')
  if (imageOf.some(({ id }) => id === firmwareVersionId)) return tell('Proved')
  if (!isImageHash(hash)) return tell('NotAHash')
  return tell(imageOf.length > 0 ? 'OtherImage' : 'UnknownImage')
}

/** Whether nobody can judge what runs: no version is known by its name, or its image is not that of the version. */
export const isBlindSpot = (firmwareVersionId: string | null, { state }: ImageReport): boolean =>
  firmwareVersionId === null || (state !== 'Proved' && state !== 'NotReported')
