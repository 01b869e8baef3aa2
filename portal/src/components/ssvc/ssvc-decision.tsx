import type { FindingDetail } from '@plimsoll/api-client'
import type { ReactNode } from 'react'
import css from './ssvc-decision.module.css'

type Decision = NonNullable<FindingDetail['ssvcDecision']>

const SOURCES: Record<Decision['steps'][number]['source'], string> = {
  Record: 'by the CVE record',
  ExploitedList: 'by the public lists of exploited vulnerabilities',
  Product: 'as stated of the product',
  Fleet: 'by the devices that run the version',
}

/** Where the workspace states what is not known: of its products, or of its cohorts. */
const STATED: Partial<Record<Decision['steps'][number]['source'], StatedPart>> = {
  Product: 'products',
  Fleet: 'cohorts',
}

type StatedPart = 'products' | 'cohorts'

interface SsvcDecisionProps {
  decision: Decision
  /** A link to where it is stated. */
  stateIt?: (part: StatedPart) => ReactNode
}

/** What SSVC decides, and its steps on demand: also what is not known, which counts as its most urgent value. */
export function SsvcDecision({ decision, stateIt }: SsvcDecisionProps) {
  const { outcome, possibleOutcomes, steps, treeName } = decision
  const unknown = steps.filter(({ isKnown }) => !isKnown)
  return (
    <details className={css['decision']}>
      <summary>
        <strong>SSVC {outcome}</strong>
        {unknown.length > 0 && `, ${unknown.length} of ${steps.length} steps not known`}
      </summary>
      <ul>
        {steps.map(({ point, name, values, isKnown, source }) => (
          <li key={point}>
            {name}: {isKnown ? <strong>{values[0]}</strong> : <em>not known</em>}
            {isKnown ? ` (${SOURCES[source]})` : ` (it may be ${values.join(', ')})`}
            {!isKnown && STATED[source] && stateIt && <> {stateIt(STATED[source])}</>}
          </li>
        ))}
      </ul>
      <p>
        {unknown.length === 0
          ? `The tree ${treeName} decides ${outcome}.`
          : `What is not known counts as its most urgent value. Once it is known, the tree ${treeName} may decide ${possibleOutcomes.join(', ')}.`}
      </p>
    </details>
  )
}
