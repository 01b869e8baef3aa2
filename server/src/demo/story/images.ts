/**
 * The images of the story, and what its builds state of them: that of the gateway signs what it built, that of the sensor node says it
 * without a signature, and that of the display says nothing.
 */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { encodePae } from '../../formats/dsse.ts'
import type { Product } from '../data/products.ts'
import type { SbomFile } from './sboms.ts'
import type { Visit } from './stage.ts'

export interface StoryImage {
  fileName: string
  content: Buffer
  sha256: string
}

const IMAGE_BYTES = 48 * 1024

export function createStoryImage({ slug, name: product }: Product, version: string): StoryImage {
  const content = Buffer.alloc(IMAGE_BYTES, `${product} ${version}\n`)
  return { fileName: `${slug}-${version}.img`, content, sha256: hash(content) }
}

const hash = (content: Buffer | string) => createHash('sha256').update(content).digest('hex')

/** Of an image that somebody built at a desk. */
export const DESK_IMAGE = hash('built at a desk')

const SIGNED = 'gateway'
const STATED = 'sensor-node'

/** The key with which the build of the gateway signs; its public half is trusted from now on. */
export async function createReleaseKey(visit: Visit): Promise<KeyObject> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  await visit.post('/trusted-keys', {
    name: 'Release key of the gateway',
    purpose: 'Signs images, and from which SBOM they come',
    key: publicKey.export({ type: 'spki', format: 'pem' }),
  })
  return privateKey
}

interface BuiltVersion {
  versionId: string
  slug: string
  image: StoryImage
  sbom: SbomFile
  releaseKey: KeyObject
}

/** Uploads what the build says of the image. */
export async function stateOrigin(visit: Visit, built: BuiltVersion): Promise<void> {
  const { versionId, slug, image, releaseKey } = built
  const at = `/firmware-versions/${versionId}`
  if (slug === SIGNED)
    await visit.post(`${at}/artifact/signatures`, {
      fileName: `${image.fileName}.sig`,
      signature: sign(null, image.content, releaseKey).toString('base64'),
    })
  if (slug === SIGNED || slug === STATED) {
    const statement = JSON.stringify(writeStatement(built))
    await visit.post(`${at}/provenance-statements`, {
      fileName: `${image.fileName}.intoto.json`,
      statement: slug === SIGNED ? JSON.stringify(seal(statement, releaseKey)) : statement,
    })
  }
}

/** Provenance of SLSA v1: the SBOM is a byproduct of the build. */
function writeStatement({ image, sbom }: BuiltVersion) {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: image.fileName, digest: { sha256: image.sha256 } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'https://harbour.example.com/build/v1',
        externalParameters: {},
      },
      runDetails: {
        builder: { id: 'https://ci.harbour.example.com/releases' },
        byproducts: [{ name: sbom.fileName, digest: { sha256: hash(sbom.text) } }],
      },
    },
  }
}

const IN_TOTO = 'application/vnd.in-toto+json'

function seal(statement: string, key: KeyObject) {
  const payload = Buffer.from(statement)
  const sig = sign(null, encodePae(IN_TOTO, payload), key).toString('base64')
  return {
    payloadType: IN_TOTO,
    payload: payload.toString('base64'),
    signatures: [{ keyid: 'release', sig }],
  }
}
