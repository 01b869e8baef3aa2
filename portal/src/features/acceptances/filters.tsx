/** Which accepted risks are listed: by state, owner, end and cause. */
import { getRouteApi } from '@tanstack/react-router'
import { Choice } from '../../components/choice.tsx'
import { useColleagues } from '../../components/discussion/assignee.tsx'
import { FilterInput } from '../../components/filter-input.tsx'
import type { AcceptancesSearch } from '../../searches.ts'
import css from './acceptances-page.module.css'

const route = getRouteApi('/w/$workspaceId/accepted-risks')

const STATES = [
  { value: undefined, text: 'All' },
  { value: 'EndingSoon', text: 'End soon' },
  { value: 'Open', text: 'Later or never' },
  { value: 'Ended', text: 'Ended' },
] as const satisfies { value: AcceptancesSearch['state']; text: string }[]

const WITHIN = [
  { value: '7', text: 'End within 7 days' },
  { value: '30', text: 'End within 30 days' },
  { value: '90', text: 'End within 90 days' },
] as const

const CAUSES = [
  { value: 'Time', text: 'Ended by time' },
  { value: 'KnownExploited', text: 'Ended as exploited' },
  { value: 'EpssAbove', text: 'Ended by EPSS score' },
  { value: 'DevicesAbove', text: 'Ended by devices' },
  { value: 'FixAvailable', text: 'Ended by a fix' },
  { value: 'Person', text: 'Ended by a person' },
] as const

export function Filters() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const colleagues = useColleagues()
  const change = (changes: Partial<AcceptancesSearch>) =>
    void navigate({ search: (old) => ({ ...old, ...changes }), replace: true })
  const owners = colleagues.map(({ value, name, isMe }) => ({
    value,
    text: isMe ? `${name} (you)` : name,
  }))
  return (
    <div className={css['filters']}>
      <div className={css['states']} role="group" aria-label="State">
        {STATES.map(({ value, text }) => (
          <button
            key={text}
            type="button"
            aria-pressed={value === search.state}
            onClick={() => change({ state: value })}
          >
            {text}
          </button>
        ))}
      </div>
      <FilterInput
        aria-label="Filter by reason, vulnerability or component"
        placeholder="Filter by reason, id or component"
        value={search.q}
        onChange={(q) => change({ q: q === '' ? undefined : q })}
      />
      <Choice
        label="Owner"
        none="Any owner"
        options={[{ value: 'nobody', text: 'Nobody' }, ...owners]}
        value={search.owner ?? null}
        onChange={(owner) => change({ owner: owner ?? undefined })}
      />
      <Choice
        label="End"
        none="Any end"
        options={WITHIN}
        value={search.within ?? null}
        onChange={(within) => change({ within: within ?? undefined })}
      />
      <Choice
        label="What ended it"
        none="Any cause"
        options={CAUSES}
        value={search.cause ?? null}
        onChange={(cause) => change({ cause: cause ?? undefined })}
      />
    </div>
  )
}
