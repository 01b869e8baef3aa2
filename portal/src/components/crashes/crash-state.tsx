import type { CrashGroup } from '@plimsoll/api-client'
import { Dot, Tag } from '../tag.tsx'
import { Time } from '../time.tsx'

/** Open, fixed in a version, or back although it was to be fixed. */
export function CrashState({
  of: { state, fixedIn, reopenedAt },
}: {
  of: Pick<CrashGroup, 'state' | 'fixedIn' | 'reopenedAt'>
}) {
  if (state === 'Closed')
    return <Dot tone="ok">{fixedIn === null ? 'Closed' : `Fixed in ${fixedIn.name}`}</Dot>
  if (reopenedAt === null)
    return (
      <Dot tone="accent" isHollow>
        Open
      </Dot>
    )
  return (
    <Dot tone="danger">
      Came back <Time at={reopenedAt} />
    </Dot>
  )
}

/** Lines of its build are not uploaded: it has addresses in place of names. */
export function WithoutLines() {
  return <Tag tone="warn">no lines yet</Tag>
}
