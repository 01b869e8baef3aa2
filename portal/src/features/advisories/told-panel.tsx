/** Who was told of which revision by mail, and when. */
import type {
  AdvisoryMail,
  AdvisoryMailState,
  AdvisoryRecipientKind,
  SecurityAdvisory,
} from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { mailsQuery } from '../../components/advisories/queries.ts'
import { Panel } from '../../components/panel.tsx'
import { Failure } from '../../components/states.tsx'
import { Dot, type Tone } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './advisories.module.css'

const STATES: Readonly<Record<AdvisoryMailState, { tone: Tone; words: string }>> = {
  Waiting: { tone: 'warn', words: 'waits' },
  Delivered: { tone: 'ok', words: 'taken by the mail server' },
  Refused: { tone: 'danger', words: 'refused by the mail server' },
  Unwanted: { tone: 'muted', words: 'asked for no more mails' },
}

const SHOWN = 200

export function ToldPanel({ one }: { one: SecurityAdvisory }) {
  const workspaceId = useWorkspaceId()
  const { data, error, refetch } = useQuery(mailsQuery(workspaceId, one.id))
  const mails = data?.mails ?? []
  const told = mails.filter(({ state }) => state === 'Delivered').length
  return (
    <Panel
      title="Who was told by mail"
      note={
        data && mails.length > 0
          ? `${formatCount(told)} of ${formatCountOf(mails.length, 'mail')} delivered`
          : undefined
      }
    >
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data && mails.length === 0 && (
        <p>
          Nobody. Contacts are named on the pages of cohorts and customers, and told when it is
          published.
        </p>
      )}
      <ul className={css['missing']}>
        {mails.slice(0, SHOWN).map((mail) => (
          <li key={`${mail.number} ${mail.address}`}>
            <MailLine mail={mail} />
          </li>
        ))}
      </ul>
      {mails.length > SHOWN && <p>and {formatCount(mails.length - SHOWN)} more</p>}
    </Panel>
  )
}

function MailLine({ mail }: { mail: AdvisoryMail }) {
  const { number, address, state, reasons, answer, endedAt } = mail
  const { tone, words } = STATES[state]
  return (
    <>
      <bdi>{address}</bdi>, revision {number}{' '}
      <span title={answer ?? ''}>
        <Dot tone={tone}>
          {words}
          {endedAt !== null && (
            <>
              {' '}
              <Time at={endedAt} as="dateTime" />
            </>
          )}
        </Dot>
      </span>{' '}
      <span className={css['note']}>{reasons.map(describeReason).join(', ')}</span>
    </>
  )
}

const REASONS: Readonly<Record<AdvisoryRecipientKind, (name: string) => string>> = {
  Cohort: (name) => `contact of the cohort ${name}`,
  Customer: (name) => `contact of the customer ${name}`,
  EarlierRevision: () => 'told of an earlier revision',
}

const describeReason = ({ kind, name }: AdvisoryMail['reasons'][number]) =>
  REASONS[kind](name ?? '')
