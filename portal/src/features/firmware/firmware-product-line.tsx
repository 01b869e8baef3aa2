import type { Firmware } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { productLinesQuery } from '../../components/cases/queries.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './version-page.module.css'

/** Under which name a firmware is placed on the market, or a way to say it. */
export function FirmwareProductLine({ firmware }: { firmware: Firmware }) {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Cases: write')
  const { data } = useQuery({ ...productLinesQuery(workspaceId), enabled: useMay('Cases: read') })
  if (!data) return null
  const line = data.productLines.find(({ firmwareIds }) => firmwareIds.includes(firmware.id))
  const to = '/w/$workspaceId/product-lines/$productLineId'
  if (line)
    return (
      <p className={css['line']}>
        Product line{' '}
        <Link to={to} params={{ workspaceId, productLineId: line.id }}>
          {line.name}
        </Link>{' '}
        of {line.manufacturer}:{' '}
        {line.supportEndsIn === null
          ? 'no end of support is known'
          : `the support period ends with ${line.supportEndsIn}`}
      </p>
    )
  return (
    <p className={css['line']}>
      In no product line: a case about it lacks what its reports ask for.{' '}
      {mayWrite && (
        <Link
          to={to}
          params={{ workspaceId, productLineId: 'new' }}
          search={{ firmware: firmware.id }}
        >
          Make a product line of it…
        </Link>
      )}
    </p>
  )
}
