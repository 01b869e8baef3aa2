/** States which SBOMs describe an image: whoever uploads both has hashed both. Nobody signs it. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { ProvenanceStatement } from '../../api-client/src/index.ts'
import type { UploadFile } from './multipart.ts'
import type { Session } from './session.ts'

const STATEMENTS =
  '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/provenance-statements'

/** An in-toto statement about the image and the SBOMs, kept with the version. */
export async function stateChain(
  { client, workspaceId }: Session,
  firmwareVersionId: string,
  { image, sboms }: { image: UploadFile; sboms: readonly UploadFile[] },
): Promise<ProvenanceStatement> {
  const subject = []
  for (const { path, name } of [image, ...sboms])
    subject.push({ name, digest: { sha256: await hashFile(path) } })
  const statement = JSON.stringify({
    _type: 'https://in-toto.io/Statement/v1',
    subject,
    predicateType: 'urn:plimsoll:sbom-of-image:v1',
    predicate: { image: image.name, sboms: sboms.map(({ name }) => name) },
  })
  const body = { fileName: `${image.name.slice(0, 180)}.intoto.json`, statement }
  return client.post(STATEMENTS, { params: { workspaceId, firmwareVersionId }, body })
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(path)) hash.update(piece as Uint8Array)
  return hash.digest('hex')
}
