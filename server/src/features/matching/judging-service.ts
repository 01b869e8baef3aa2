/** Reads what the records say of one package. Nothing is written. */
import {
  dropVendorOfName,
  isOpen,
  isVendorless,
  listLookUpKeys,
  type PackagePair,
} from '../../formats/identity.ts'
import type { Db } from '../../platform/db/connect.ts'
import { describeAgreementWithCount, findAgreements } from './agreement.ts'
import { judgeRecords, type PackageJudgement } from './judgements.ts'
import { listCandidateKeys } from './name-resolution.ts'
import { readMatchKnowledge } from './service.ts'
import * as store from './store.ts'

/**
 * What every record of a vulnerability says of a package, evaluated now and by the functions that match it.
 * `packageId` is undefined for a component without package: then no record can be about it.
 */
export async function judgePackage(
  db: Db,
  { packageId, vulnerabilityId }: { packageId: string | undefined; vulnerabilityId: string },
): Promise<PackageJudgement> {
  const identity = packageId === undefined ? undefined : await store.findIdentity(db, packageId)
  const records = await store.listVulnerabilityRecords(db, vulnerabilityId)
  if (!identity) return judgeRecords(undefined, { candidates: [], records })
  const knowledge = await readMatchKnowledge(db, [{ identity }])
  const keys = listCandidateKeys(identity, knowledge.resolve)
  const candidates = await store.listCandidates(db, { keys, vulnerabilityIds: [vulnerabilityId] })
  return judgeRecords(identity, { candidates, records, ...knowledge })
}

/** The names of a package, for each whether any record has it, and what the records resolve a name without vendor to. */
export async function listNames(
  db: Db,
  packageId: string,
): Promise<(PackagePair & { isKnown: boolean; meanings: string[] })[]> {
  const identity = await store.findIdentity(db, packageId)
  if (!identity) return []
  const { resolve, references } = await readMatchKnowledge(db, [{ identity }])
  const agreements = findAgreements(identity, resolve, references)
  const known = new Set(await store.listKnownKeys(db, listCandidateKeys(identity, resolve)))
  return identity.pairs.map((pair) => {
    const resolved = isVendorless(pair.key) ? [...resolve(dropVendorOfName(pair.key))] : []
    const keys = [...listLookUpKeys(pair).map(({ key }) => key), ...resolved.map(([key]) => key)]
    const agreed = isOpen(pair) ? keys.flatMap((key) => agreements.get(key) ?? []) : []
    const meanings = [
      ...new Set([
        ...resolved.map(([, { reason }]) => reason),
        ...agreed.map(describeAgreementWithCount),
      ]),
    ]
    return { ...pair, isKnown: keys.some((key) => known.has(key)), meanings }
  })
}
