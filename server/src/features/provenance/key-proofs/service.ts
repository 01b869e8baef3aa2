/** What a trusted key alone proves, so that whoever takes it away knows before what is no longer verified. */
import { describeImage } from '../../../formats/images/image-facts.ts'
import { judgeImage, type TrustedKey } from '../../../formats/images/judge-image.ts'
import { judgeSbom } from '../../../formats/sbom-signatures/judge-sbom.ts'
import type { AppContext } from '../../../platform/context.ts'
import { getTrustedKey, readTrustedKeys } from '../../trusted-keys/index.ts'
import * as store from './store.ts'

const SHOWN_VERSIONS = 20

export async function getKeyProofs(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  asked: { workspaceId: string; trustedKeyId: string },
) {
  const { workspaceId } = asked
  const { id } = await getTrustedKey(db, asked)
  const trusted = await readTrustedKeys(db, workspaceId)
  const others = trusted.filter((one) => one.id !== id)
  const lost = (await store.listSignedFiles(db, workspaceId)).filter(
    (files) => isVerified(files, trusted, now()) && !isVerified(files, others, now()),
  )
  const count = (kind: store.SignedFiles['kind']) =>
    lost.reduce((sum, one) => (one.kind === kind ? sum + one.fileCount : sum), 0)
  const ids = [...new Set(lost.flatMap(({ firmwareVersionIds }) => firmwareVersionIds))]
  return {
    versionCount: ids.length,
    versions: await store.listVersionNames(db, {
      workspaceId,
      firmwareVersionIds: ids,
      limit: SHOWN_VERSIONS,
    }),
    imageCount: count('Image'),
    statementCount: count('Statement'),
    sbomCount: count('Sbom'),
    uncheckedCount: await store.countUnchecked(db, workspaceId),
  }
}

function isVerified(
  { kind, signatures, fault, obstacle }: store.SignedFiles,
  trusted: readonly TrustedKey[],
  now: Date,
): boolean {
  const facts = { signatures, fault, obstacle }
  const { state } =
    kind === 'Sbom'
      ? judgeSbom(facts, trusted, now)
      : judgeImage(describeImage('NotKnown', facts), trusted, now)
  return state === 'Verified'
}
