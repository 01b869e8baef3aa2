import type { FigureName } from '@plimsoll/api-client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'

export interface AskedPeriod {
  from: string
  to: string
  firmwareId: string | undefined
  line: string | undefined
}

const toQuery = ({ from, to, firmwareId, line }: AskedPeriod) => ({
  from,
  to,
  ...(firmwareId !== undefined && { firmwareId }),
  ...(line !== undefined && { line }),
})

/** Pages and files of the service about the same. */
export const buildFiguresAddress = (
  workspaceId: string,
  kind: 'report' | 'export',
  period: AskedPeriod,
): string =>
  `/workspaces/${workspaceId}/figures/${kind}?${new URLSearchParams(toQuery(period)).toString()}`

export const figuresQuery = (workspaceId: string, period: AskedPeriod) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'figures', period],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/figures', {
        params: { workspaceId },
        query: toQuery(period),
      }),
    placeholderData: keepPreviousData,
  })

export const figureCasesQuery = (
  workspaceId: string,
  { figure, ...period }: AskedPeriod & { figure: FigureName },
) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'figures', period, figure],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/figures/{figure}/cases', {
        params: { workspaceId, figure },
        query: toQuery(period),
      }),
  })
