/** One list of what is missing, each with the act that brings it. */
import type { DraftStage, ProductLine } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import { GoodPractice, Law } from '../../components/cases/law-mark.tsx'
import { Panel } from '../../components/panel.tsx'
import { formatCount } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { ActButtons } from './act-button.tsx'
import type { ActOn, CaseAct, CasePart } from './act.ts'
import css from './cases.module.css'
import { RecordIntermediate } from './intermediate-acts.tsx'
import { listMissing, type MissingAct } from './missing.ts'
import { recordUsersInformed } from './report-acts.ts'
import { addLines, answer, setAwareness, setMeasure, watch } from './stating-acts.ts'

interface MissingPanelProps extends CasePart {
  /** Of the case; undefined: they are not read yet. */
  lines: readonly ProductLine[] | undefined
  all: readonly ProductLine[]
}

export function MissingPanel({ one, now, onAct, lines, all }: MissingPanelProps) {
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
            {act && <Way {...{ act, text, one, onAct, all }} />}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

interface WayProps extends Pick<MissingPanelProps, 'one' | 'onAct' | 'all'> {
  act: MissingAct
  /** What is missing. */
  text: string
}

/** The page or the dialog that brings it. */
function Way({ act, text, one, onAct, all }: WayProps) {
  const workspaceId = useWorkspaceId()
  if (typeof act === 'object' && 'draft' in act)
    return (
      <Link
        to="/w/$workspaceId/cases/$caseId/drafts/$stage"
        params={{ workspaceId, caseId: one.id, stage: act.draft }}
        aria-label={`Open the draft: ${text}`}
      >
        Open the draft
      </Link>
    )
  if (typeof act === 'object' && 'lineId' in act)
    return (
      <Link
        to="/w/$workspaceId/product-lines/$productLineId"
        params={{ workspaceId, productLineId: act.lineId }}
        aria-label={`Say it: ${text}`}
      >
        Say it
      </Link>
    )
  const name = nameAct(act)
  const named = { label: `${name}…`, name: `${name}: ${text}` }
  if (typeof act === 'object' && 'requestId' in act)
    return <RecordIntermediate {...{ one, onAct, ...act, ...named }} />
  return (
    <ActButtons
      size="small"
      acts={[{ act: planAct(act, { workspaceId, one }, all), ...named }]}
      onAct={onAct}
    />
  )
}

const WORDS = {
  aware: 'Set it',
  measure: 'Say it',
  users: 'Record it',
  lines: 'Add it',
  watch: 'Set the next one',
} as const

/** What a dialog asks for; the others are pages. */
type AskedAct = Exclude<MissingAct, { lineId: string } | { draft: DraftStage }>
type StatedAct = Exclude<AskedAct, { requestId: string }>

function nameAct(act: AskedAct): string {
  if (typeof act !== 'object') return WORDS[act]
  return 'question' in act ? 'Answer' : 'Record it'
}

function planAct(
  act: StatedAct,
  on: ActOn & Pick<CasePart, 'one'>,
  all: readonly ProductLine[],
): CaseAct {
  const { one } = on
  if (typeof act === 'object') {
    const proposed = act.question === 'CanBeExploited' ? one.proposedAnswer : null
    return answer(on, act.question, proposed ?? undefined)
  }
  switch (act) {
    case 'aware':
      return setAwareness(on)
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
