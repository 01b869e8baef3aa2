/** The chain SBOM → image → device of a firmware version: what proves, states or contradicts each link. Nothing is linked by silence. */
import { formatCountOf } from '../counts.ts'
import type { ImageHash } from '../images/image-facts.ts'
import type { DescribedHash } from '../sboms/model.ts'
import type { StatementFacts } from './statement.ts'

export const CHAIN_STEPS = ['SbomToImage', 'ImageToDevices'] as const
export const CHAIN_LINK_STATES = ['Differs', 'Missing', 'Unknown', 'Stated', 'Proved'] as const
type ChainLinkState = (typeof CHAIN_LINK_STATES)[number]

export interface ChainImage {
  fileName: string
  /** null: the full image. */
  role: string | null
  /** Of the file and of what it holds. */
  hashes: readonly ImageHash[]
  /** It is still being read, so more of its hashes may become known. */
  isBeingRead: boolean
}

export interface ChainSbom {
  id: string
  fileName: string
  sha256: string
  contentDigest: string | null
  /** Of what the document describes. */
  described: readonly DescribedHash[]
  /** Hashes of components that are called as an image is. */
  ofNamesakes: readonly DescribedHash[]
  /** Whether a trusted key has signed the document as it was uploaded, and which. */
  signature: { state: 'Verified'; keyName: string } | { state: 'Broken' | 'NotProving' }
}

export interface ChainStatement {
  fileName: string
  facts: StatementFacts
  state: 'Verified' | 'Untrusted' | 'NotSigned' | 'NotChecked' | 'Broken'
  /** The trusted key that signed it. */
  keyName: string | null
}

export interface DeviceProofs {
  /** Devices that say that they run the version. */
  running: number
  /** They report a hash or a build id of it. */
  proved: number
  /** They report a hash of another version. */
  ofOther: number
  /** They report a hash that nobody uploaded. */
  unknown: number
  /** They report a text as the hash which is none. */
  notAHash: number
  /** They report its name and no hash. */
  named: number
}

export interface ChainLink {
  step: (typeof CHAIN_STEPS)[number]
  /** The SBOM or the image that it begins with; null: there is none. */
  from: string | null
  /** The image; null: none, or it leads to devices. */
  to: string | null
  state: ChainLinkState
  /** What proves or states it. */
  by: string | null
  why: string
  /** How to get on; null: it needs nothing. */
  next: string | null
}

interface ChainParts {
  images: readonly ChainImage[]
  sboms: readonly ChainSbom[]
  statements: readonly ChainStatement[]
}

/** From SBOMs to images. */
export function linkSbomsToImages(parts: ChainParts): ChainLink[] {
  const { images, sboms } = parts
  if (images.length === 0) return [missing(null, sboms[0]?.fileName ?? null, NO_IMAGE)]
  const found = images.map((image) => ({ image, evidence: findEvidence(image, parts) }))
  const linked = new Set(found.flatMap(({ evidence }) => (evidence ? [evidence.sbom.id] : [])))
  const stray = sboms.filter(({ id }) => !linked.has(id))
  const broken = stray.filter(({ signature }) => signature.state === 'Broken')
  const differing = stray.filter(
    ({ described, signature }) => signature.state !== 'Broken' && described.length > 0,
  )
  const isBeingRead = images.some((one) => one.isBeingRead)
  return [
    ...found.map(({ image, evidence }) =>
      evidence ? tellEvidence(image, evidence) : tellNoEvidence(image, parts),
    ),
    ...broken.map(tellBroken),
    ...differing.map((sbom) => tellDiffering(sbom, isBeingRead)),
    ...parts.statements.flatMap((one) => tellStrayStatement(one, images)),
  ]
}

interface Evidence {
  sbom: ChainSbom
  isProved: boolean
  by: string
  why: string
}

function findEvidence(image: ChainImage, { sboms, statements }: ChainParts): Evidence | undefined {
  const byStatements = statements.flatMap((statement) => {
    if (statement.state === 'Broken' || !isAbout(statement.facts, image)) return []
    const sbom = sboms.find((one) => isNamedBy(one, statement.facts))
    return sbom ? [tellStatement(statement, sbom)] : []
  })
  const proved = byStatements.find(({ isProved }) => isProved)
  if (proved) return proved
  const byDocuments = sboms.flatMap((sbom) => {
    if (sbom.signature.state === 'Broken') return []
    const hash = findShared([...sbom.described, ...sbom.ofNamesakes], image)
    return hash ? [tellDocument(sbom, hash)] : []
  })
  return byDocuments.find(({ isProved }) => isProved) ?? byDocuments[0] ?? byStatements[0]
}

const isAbout = ({ subjects }: StatementFacts, { hashes }: ChainImage) =>
  subjects.some((subject) => hashes.some(({ value }) => subject.hashes.includes(value)))

const isNamedBy = ({ sha256, contentDigest }: ChainSbom, facts: StatementFacts) =>
  (contentDigest !== null && facts.sbomDigest === contentDigest) ||
  [...facts.subjects, ...facts.others].some(({ hashes }) => hashes.includes(sha256))

function findShared(
  stated: readonly DescribedHash[],
  { hashes }: ChainImage,
): { hash: DescribedHash; of: string | null } | undefined {
  for (const hash of stated) {
    const own = hashes.find(({ value }) => value === hash.value)
    if (own) return { hash, of: own.of }
  }
  return undefined
}

function tellStatement({ fileName, state, keyName }: ChainStatement, sbom: ChainSbom): Evidence {
  const isProved = state === 'Verified'
  const why =
    state === 'NotChecked'
      ? 'not all trusted keys were tried on its signatures'
      : 'no trusted key has signed it'
  return {
    sbom,
    isProved,
    by: isProved ? `${fileName}, signed with ${keyName ?? 'a trusted key'}` : fileName,
    why: isProved
      ? `The statement ${fileName}, signed with the trusted key ${keyName ?? ''}, names both by their hashes.`
      : `The statement ${fileName} names both by their hashes; ${why}.`,
  }
}

function tellDocument(
  sbom: ChainSbom,
  { hash, of }: { hash: DescribedHash; of: string | null },
): Evidence {
  const { fileName, signature } = sbom
  const what = of === null ? 'which is that of the file' : `which the file holds: ${of}`
  const told = { sbom, by: fileName }
  const stated = `states the ${hash.algorithm} of ${hash.name}, ${what}.`
  if (signature.state !== 'Verified') return { ...told, isProved: false, why: `The SBOM ${stated}` }
  const by = `signed with the trusted key ${signature.keyName}`
  return {
    ...told,
    isProved: true,
    by: `${fileName}, signed with ${signature.keyName}`,
    why: `The SBOM, ${by}, ${stated}`,
  }
}

const SIGN_IT =
  'To prove it, sign the SBOM with a trusted key, or upload a statement that one signed (plimsoll provenance add).'

function tellEvidence({ fileName }: ChainImage, { sbom, isProved, by, why }: Evidence): ChainLink {
  return {
    step: 'SbomToImage',
    from: sbom.fileName,
    to: fileName,
    state: isProved ? 'Proved' : 'Stated',
    by,
    why,
    next: isProved ? null : SIGN_IT,
  }
}

const NO_IMAGE = {
  why: 'The version has no image, so nobody can tell which one its SBOM describes.',
  next: 'Upload the image, or its SBOM and image at once: plimsoll sbom upload --image FILE.',
}
const NO_SBOM = {
  why: 'The version has no SBOM that was read.',
  next: 'Upload the SBOM of the image.',
}
const NO_LINK = {
  why: 'No SBOM states a hash of this file, and no statement names it together with an SBOM.',
  next: 'Upload both at once (plimsoll sbom upload --image FILE), let the build write the hash into the SBOM, or upload a statement.',
}

function missing(
  to: string | null,
  from: string | null,
  { why, next }: { why: string; next: string },
): ChainLink {
  return { step: 'SbomToImage', from, to, state: 'Missing', by: null, why, next }
}

function tellNoEvidence(image: ChainImage, { sboms, statements }: ChainParts): ChainLink {
  const { fileName, isBeingRead } = image
  if (sboms.length === 0) return missing(fileName, null, NO_SBOM)
  const other = statements.find(
    ({ facts, state }) => state !== 'Broken' && facts.sbomDigest !== null && isAbout(facts, image),
  )
  if (other && sboms.every(({ contentDigest }) => contentDigest !== null))
    return {
      ...missing(fileName, null, {
        why: `The statement ${other.fileName} holds another SBOM of this file than those that were uploaded.`,
        next: 'Upload the SBOM that is inside the statement, or make the statement again from the one that is here.',
      }),
      state: 'Differs',
      by: other.fileName,
    }
  return isBeingRead
    ? {
        ...missing(fileName, null, {
          why: 'The file is still being read, so not all of its hashes are known.',
          next: 'Look again in a moment.',
        }),
        state: 'Unknown',
      }
    : missing(fileName, null, NO_LINK)
}

/** Whoever changed a signed document may have changed the hash as well. */
const tellBroken = ({ fileName }: ChainSbom): ChainLink => ({
  step: 'SbomToImage',
  from: fileName,
  to: null,
  state: 'Differs',
  by: fileName,
  why: `The signature of ${fileName} is not valid, so the hashes that it states count for nothing.`,
  next: 'Upload the SBOM as the build signed it.',
})

function tellDiffering({ fileName, described }: ChainSbom, isBeingRead: boolean): ChainLink {
  const [first] = described
  const stated = `${first?.name ?? ''} with the ${first?.algorithm ?? ''} ${(first?.value ?? '').slice(0, 16)}…`
  const more =
    described.length > 1
      ? ` (and ${formatCountOf(described.length - 1, 'more hash', 'more hashes')})`
      : ''
  return {
    step: 'SbomToImage',
    from: fileName,
    to: null,
    state: isBeingRead ? 'Unknown' : 'Differs',
    by: fileName,
    why: isBeingRead
      ? `The SBOM describes ${stated}${more}; the image is still being read.`
      : `The SBOM describes ${stated}${more}, which no image of this version is or holds: it is the SBOM of another build, or the image is packed in a way that cannot be read here.`,
    next: isBeingRead
      ? 'Look again in a moment.'
      : 'Upload the SBOM of this build, or a statement that names the image and this SBOM.',
  }
}

function tellStrayStatement(
  { fileName, facts, state }: ChainStatement,
  images: readonly ChainImage[],
): ChainLink[] {
  if (state !== 'Broken' && images.some((image) => image.isBeingRead || isAbout(facts, image)))
    return []
  const isBroken = state === 'Broken'
  return [
    {
      step: 'SbomToImage',
      from: fileName,
      to: null,
      state: 'Differs',
      by: fileName,
      why: isBroken
        ? `A signature of the statement ${fileName} is not valid.`
        : `The statement ${fileName} is about ${facts.subjects[0]?.name ?? 'a file'}, which by its hash is no image of this version.`,
      next: isBroken
        ? 'Delete it, and upload it as the build wrote it.'
        : 'Upload the file that it is about, or delete the statement.',
    },
  ]
}

/** From the image to the devices that say they run the version. */
export function linkImageToDevices(
  { running, proved, ofOther, unknown, notAHash, named }: DeviceProofs,
  image: string | null,
): ChainLink {
  const link = { step: 'ImageToDevices' as const, from: image, to: null }
  const devices = (count: number) => formatCountOf(count, 'device')
  if (running === 0)
    return {
      ...link,
      state: 'Missing',
      by: null,
      why: 'No device reports that it runs this version.',
      next: null,
    }
  const proving = proved > 0 ? `${devices(proved)} by the hash or build id` : null
  const contradictions = [
    ofOther > 0 && `${devices(ofOther)} of ${running} ${verb(ofOther)} the hash of another version`,
    unknown > 0 && `${devices(unknown)} of ${running} ${verb(unknown)} a hash that nobody uploaded`,
    notAHash > 0 &&
      `${devices(notAHash)} of ${running} ${verb(notAHash)} a text as the hash which is no SHA-256, SHA-384 or SHA-512`,
  ].filter((one) => one !== false)
  if (contradictions.length > 0)
    return {
      ...link,
      state: 'Differs',
      by: proving,
      why: `${contradictions.join(', and ')}: what they run may be another build than the one that is here.`,
      next: 'Look at these devices (plimsoll blind-spots list): install the version anew, or upload the image that they run.',
    }
  if (named > 0)
    return {
      ...link,
      state: 'Stated',
      by: proving,
      why: `${devices(named)} of ${running} ${verb(named)} the name of the version alone: which image runs there is not reported.`,
      next: 'Let devices report the attribute imageHash, or a build id (docs/guide/provenance.md).',
    }
  return {
    ...link,
    state: 'Proved',
    by: proving,
    why: `All of ${devices(running)} report a hash or build id of this version.`,
    next: null,
  }
}

const verb = (count: number) => (count === 1 ? 'reports' : 'report')

/** What keeps images from being linked to SBOMs; empty: nothing does. */
export const listGaps = (links: readonly ChainLink[]): ChainLink[] =>
  links.filter(
    ({ step, state }) => step === 'SbomToImage' && state !== 'Proved' && state !== 'Stated',
  )
