/** Writes a VEX document; runs in a process for calculations. */
import { writeVex } from '../../../formats/vex/write-vex.ts'
import type { VexVerdict } from '../../../formats/vex/export.ts'
import type { Calculation } from '../../../platform/calculators.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { AppError } from '../../../platform/errors.ts'
import { VERSION } from '../../../version.ts'
import { listContestedStatements } from '../decisions/store.ts'
import { deriveId } from '../statement-row.ts'
import type { VersionScope } from '../targets/store.ts'
import type { WriteVex } from './service.ts'
import * as store from './store.ts'
import { listExportedThings, listVerdicts } from './verdicts.ts'

export const calculate: Calculation<WriteVex> = async ({ db, write }, asked) => {
  const { scope, product, publisher, format } = asked
  const verdicts = await readVerdicts(db, scope)
  if (verdicts.length === 0)
    throw new AppError(
      'conflict',
      'vex-nothing-stated',
      'No finding of this firmware version is assessed, so there is nothing to export.',
    )
  const document = writeVex(format, {
    id: deriveId(publisher, product, verdicts),
    publisher,
    statedAt: verdicts.reduce(
      (newest, { statedAt }) => (statedAt > newest ? statedAt : newest),
      '',
    ),
    tool: { name: 'Plimsoll', version: VERSION },
    product,
    verdicts,
  })
  await write(JSON.stringify(document))
}

/** All reads see the same state. */
async function readVerdicts(db: Db, scope: VersionScope): Promise<VexVerdict[]> {
  const tx = await db.startTransaction().setIsolationLevel('repeatable read').execute()
  try {
    const things = listExportedThings(await store.listHeldPackages(tx, scope))
    const contested = new Set(await listContestedStatements(tx, scope))
    const received = await store.listReceived(tx, scope)
    const decided = await store.listDecided(tx, scope)
    return listVerdicts({ things, contested, received, decided })
  } finally {
    await tx.rollback().execute()
  }
}
