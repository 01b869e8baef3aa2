/** Of which ecosystems a source's records were read to the last one: only these say something by their silence. */
import { sql } from 'kysely'
import { parseEcosystem, findRegistryOfEcosystem } from '../../../formats/ecosystems.ts'
import type { AdvisorySource } from '../../../formats/advisories/model.ts'
import type { Tx } from '../../../platform/db/connect.ts'

export interface NewlyLoaded {
  /** As records state them. */
  distributions: string[]
  /** `purl:npm/` */
  registries: string[]
}

/** Answers what counts as loaded from now on, so that packages of it have to be matched again. */
export async function recordComplete(
  tx: Tx,
  source: AdvisorySource,
  { complete, at }: { complete: readonly string[]; at: Date },
): Promise<NewlyLoaded> {
  if (complete.length === 0) return { distributions: [], registries: [] }
  const names = [...new Set(complete)].toSorted()
  const { rows } = await sql<{ ecosystem: string }>`
    select ecosystem from unnest(${names}::text[]) as named (ecosystem)
    where not exists (select from complete_ecosystems as known where known.ecosystem = named.ecosystem)`.execute(
    tx,
  )
  await sql`
    insert into complete_ecosystems (source, ecosystem, completed_at)
    select ${source}, ecosystem, ${at} from unnest(${names}::text[]) as named (ecosystem)
    on conflict (source, ecosystem) do update set completed_at = excluded.completed_at`.execute(tx)
  const news = rows.map(({ ecosystem }) => ecosystem)
  if (news.length === 0) return { distributions: [], registries: [] }
  const families = new Set(news.map((name) => parseEcosystem(name).ecosystem.toLowerCase()))
  const known = await tx.selectFrom('knownDistributions').select('stated').execute()
  return {
    distributions: known
      .map(({ stated }) => stated)
      .filter((stated) => families.has(parseEcosystem(stated).ecosystem.toLowerCase())),
    registries: news.flatMap((name) => findRegistryOfEcosystem(name) ?? []),
  }
}
