/** One list of what is missing, each with the act that brings it. */
import type { ProductLine } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import { GoodPractice, Law } from '../../components/cases/law-mark.tsx'
import { Panel } from '../../components/panel.tsx'
import { formatCount } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { ActButtons } from './act-button.tsx'
import type { ActOn, CaseAct, CasePart } from './act.ts'
import css from './cases.module.css'
import { listMissing, type MissingAct } from './missing.ts'
import { recordUsersInformed, recordReport } from './report-acts.ts'
import { addLines, answer, setAwareness, setMeasure, watch } from './stating-acts.ts'

interface MissingPanelProps extends CasePart {
  /** Of the case; undefined: they are not read yet. */
  lines: readonly ProductLine[] | undefined
  all: readonly ProductLine[]
}

export function MissingPanel({ one, now, onAct, lines, all }: MissingPanelProps) {
  const workspaceId = useWorkspaceId()
  const missing = listMissing(one, { lines, now })
  return (
    <Panel
      id="missing"
      title="What is missing"
      note={missing.length === 0 ? undefined : formatCount(missing.length)}
    >
      {missing.length === 0 && <p>Nothing that this page looks for.</p>}
      <ul className={css['missing']}>
        {missing.map(({ text, article, isLate, act }) => (
          <li key={text}>
            <span className={isLate === true ? css['late'] : undefined}>{text}</span>
            {article === undefined ? <GoodPractice /> : <Law article={article} />}
            {typeof act === 'object' && 'lineId' in act ? (
              <Link
                to="/w/$workspaceId/product-lines/$productLineId"
                params={{ workspaceId, productLineId: act.lineId }}
                aria-label={`Say it: ${text}`}
              >
                Say it
              </Link>
            ) : (
              act && (
                <ActButtons
                  size="small"
                  acts={[
                    {
                      act: planAct(act, { workspaceId, one }, all),
                      label: `${nameAct(act)}…`,
                      name: `${nameAct(act)}: ${text}`,
                    },
                  ]}
                  onAct={onAct}
                />
              )
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

const WORDS = {
  aware: 'Set it',
  answer: 'Answer',
  measure: 'Say it',
  users: 'Record it',
  lines: 'Add it',
  watch: 'Set the next one',
} as const

const nameAct = (act: Exclude<MissingAct, { lineId: string }>) =>
  typeof act === 'object' ? 'Record it' : WORDS[act]

function planAct(
  act: Exclude<MissingAct, { lineId: string }>,
  on: ActOn & Pick<CasePart, 'one'>,
  all: readonly ProductLine[],
): CaseAct {
  const { one } = on
  if (typeof act === 'object') {
    const { stage, requestId } = act
    return stage === 'UsersInformed'
      ? recordUsersInformed(on)
      : recordReport(on, { stage, requestId })
  }
  switch (act) {
    case 'aware':
      return setAwareness(on)
    case 'answer':
      return one.canBeExploited === null
        ? answer(on, 'CanBeExploited', one.proposedAnswer ?? undefined)
        : answer(on, 'WasExploited')
    case 'measure':
      return setMeasure(on, one.proposedMeasure)
    case 'users':
      return recordUsersInformed(on)
    case 'lines':
      return addLines(on, all)
    case 'watch':
      return watch(on)
  }
}
