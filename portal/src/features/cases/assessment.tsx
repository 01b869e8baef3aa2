/** The two questions that make a signal a case, and what decisions of the team say already. */
import type { GivenAnswer } from '@plimsoll/api-client'
import type { ReactNode } from 'react'
import { GoodPractice } from '../../components/cases/law-mark.tsx'
import { Panel } from '../../components/panel.tsx'
import { Time } from '../../components/time.tsx'
import { useWorkspaceId } from '../../session.ts'
import { ActButtons } from './act-button.tsx'
import type { CasePart } from './act.ts'
import css from './cases.module.css'
import { ANSWERS } from './fact-words.ts'
import { answer } from './stating-acts.ts'

export function Assessment({ one, onAct }: CasePart) {
  const workspaceId = useWorkspaceId()
  const on = { workspaceId, one }
  const isEnded = one.state === 'Closed' || one.state === 'Dismissed'
  const { canBeExploited, wasExploited, proposedAnswer, suggestsDismissal } = one
  const offer = (question: 'CanBeExploited' | 'WasExploited', first?: string) =>
    !isEnded && (
      <ActButtons
        size="small"
        acts={[
          {
            act: answer(on, question, first),
            label: 'Answer…',
            name: `Answer: ${question === 'CanBeExploited' ? CAN : WAS}`,
          },
        ]}
        onAct={onAct}
      />
    )
  return (
    <Panel title="Is it to be reported?" aside={<GoodPractice />}>
      <Question text={CAN} given={canBeExploited}>
        {canBeExploited === null && proposedAnswer !== null && (
          <p className={css['note']}>
            The decisions about its findings say {ANSWERS[proposedAnswer].toLowerCase()}.
          </p>
        )}
        {offer('CanBeExploited', proposedAnswer ?? undefined)}
      </Question>
      <Question text={WAS} given={wasExploited}>
        {offer('WasExploited')}
      </Question>
      {suggestsDismissal && !isEnded && (
        <p>One answer is no: that suggests to dismiss it. A person decides.</p>
      )}
    </Panel>
  )
}

const CAN = 'Can it be exploited in the product?'
const WAS = 'Was it exploited in the product?'

interface QuestionProps {
  text: string
  given: GivenAnswer | null
  children: ReactNode
}

function Question({ text, given, children }: QuestionProps) {
  return (
    <div className={css['question']}>
      <div>
        <strong>{text}</strong>
        <p>
          {given === null ? (
            <em>nobody has answered</em>
          ) : (
            <>
              {ANSWERS[given.answer]}
              {given.reason !== null && `: ${given.reason}`}{' '}
              <span className={css['note']}>
                {given.by ?? 'an API key'}, <Time at={given.at} as="dateTime" />
              </span>
            </>
          )}
        </p>
      </div>
      {children}
    </div>
  )
}
