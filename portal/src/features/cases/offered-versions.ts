/** Versions that a case can be said to be about: those of the firmware in its product lines, or of all firmware where it has none. */
import type { Case, ProductLine } from '@plimsoll/api-client'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useMay, useWorkspaceId } from '../../session.ts'
import { firmwaresQuery, versionsQuery } from '../../workspace-queries.ts'

/** More are found by the command line and the API. */
const MOST_FIRMWARES = 20

export function useOfferedVersions(
  lines: readonly ProductLine[],
  { productLines, state }: Pick<Case, 'productLines' | 'state'>,
) {
  const workspaceId = useWorkspaceId()
  const isWanted = useMay('Cases: write') && state !== 'Closed' && state !== 'Dismissed'
  const all = useQuery({
    ...firmwaresQuery(workspaceId),
    enabled: isWanted && productLines.length === 0,
  })
  const ofLines = lines
    .filter(({ id }) => productLines.some((line) => line.id === id))
    .flatMap(({ firmwares }) => firmwares)
  const firmwares = (productLines.length === 0 ? (all.data?.firmwares ?? []) : ofLines).slice(
    0,
    MOST_FIRMWARES,
  )
  const found = useQueries({
    queries: firmwares.map(({ id }) => ({
      ...versionsQuery(workspaceId, id),
      enabled: isWanted,
    })),
  })
  const asked = productLines.length === 0 ? [all, ...found] : found
  const versions = firmwares.flatMap(({ name: firmware }, index) =>
    (found[index]?.data?.firmwareVersions ?? []).map(({ id, name }) => ({ id, firmware, name })),
  )
  return { versions, blocked: findBlock(asked) }
}

/** Why none can be offered yet; undefined: they can. */
function findBlock(asked: readonly { isError: boolean; isPending: boolean }[]): string | undefined {
  if (asked.some(({ isError }) => isError)) return 'Which versions there are could not be read.'
  return asked.some(({ isPending }) => isPending) ? 'Versions are being read.' : undefined
}
