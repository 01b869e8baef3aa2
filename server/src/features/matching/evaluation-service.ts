/** Evaluates identities that are not stored: nothing is written. */
import { splitIntoBatches } from '../../formats/batches.ts'
import type { PackageIdentity } from '../../formats/identity.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Confidence } from './evidence.ts'
import { reportFailure } from './failures.ts'
import { matchPackages, planCandidateQuery } from './match-packages.ts'
import { readMatchKnowledge } from './service.ts'
import * as store from './store.ts'

export interface EvaluatedIdentity {
  packageId: string
  /** Whether any record has one of its names. */
  isNamed: boolean
  matches: { vulnerabilityId: string; confidence: Confidence }[]
}

/** Small, since a request waits and the candidates of a kernel take megabytes. */
const BATCH = 20

/** What the packages of these identities would match now. */
export async function evaluateIdentities(
  ctx: Pick<AppContext, 'db' | 'memory' | 'log' | 'now'>,
  identities: readonly PackageIdentity[],
): Promise<EvaluatedIdentity[]> {
  const evaluated: EvaluatedIdentity[] = []
  for (const batch of splitIntoBatches(identities, BATCH)) {
    const packages = batch.map((identity) => ({
      id: identity.id,
      identity,
      vulnerabilityIds: undefined,
      resolved: [],
    }))
    const knowledge = await readMatchKnowledge(ctx.db, packages)
    const rows = await store.listCandidates(ctx.db, planCandidateQuery(packages, knowledge.resolve))
    for (const { of, matches, named, failures } of matchPackages(packages, rows, knowledge)) {
      for (const failure of failures) reportFailure(ctx, failure)
      evaluated.push({
        packageId: of.id,
        isNamed: named.size > 0,
        matches: matches.map(({ vulnerabilityId, confidence }) => ({
          vulnerabilityId,
          confidence,
        })),
      })
    }
  }
  return evaluated
}
