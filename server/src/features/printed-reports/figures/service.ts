/** Reads what the report of the figures of a period says. */
import { addDays } from '../../../formats/instants.ts'
import { formatPortalPath } from '../../../formats/portal-pages.ts'
import type { AppContext } from '../../../platform/context.ts'
import { type AskFigures, readFigures } from '../../figures/index.ts'
import { type ReportRequest, readImprint } from '../imprint-service.ts'
import { renderFiguresReport } from './page.ts'

export async function printFiguresReport(
  ctx: AppContext,
  { principal, ...asked }: ReportRequest & AskFigures,
): Promise<string> {
  const { workspaceId, firmwareId, line } = asked
  const figures = await readFigures(ctx, asked)
  const [from, to] = [new Date(figures.from), new Date(figures.to)]
  const imprint = await readImprint(ctx, { workspaceId, principal })
  const query = new URLSearchParams({
    from: figures.from,
    to: figures.to,
    ...(firmwareId !== undefined && { firmware: firmwareId }),
    ...(line !== undefined && { line }),
  })
  return renderFiguresReport({
    ...figures,
    from,
    to,
    imprint: figures.isClosed ? { ...imprint, asOf: addDays(to, 1) } : imprint,
    page: `${formatPortalPath('overview', { workspaceId })}/figures?${query.toString()}`,
  })
}
