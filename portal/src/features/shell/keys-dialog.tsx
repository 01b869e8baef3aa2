import { Modal } from '@mantine/core'
import { useReturnedFocus } from '../../components/return-focus.ts'
import css from './keys-dialog.module.css'

const KEYS = [
  [
    'Anywhere',
    [
      ['Ctrl K or /', 'search'],
      ['z', 'take back what the notice says'],
      ['?', 'these keys'],
      ['Esc', 'close, or go back'],
    ],
  ],
  [
    'Lists',
    [
      ['j k', 'next, previous'],
      ['x', 'select, or select no more'],
      ['⇧ a', 'select all that match'],
      ['Shift click', 'select up to there'],
      ['a  i', 'assess or ignore what is selected'],
      ['Enter', 'open'],
      ['Esc', 'select nothing'],
    ],
  ],
  [
    'Findings',
    [
      ['a', 'assess'],
      ['1 to 5', 'choose the assessment'],
      ['0', 'take the assessment away'],
      ['i', 'ignore, after a question'],
      ['e', 'evidence'],
      ['n', 'note'],
    ],
  ],
  [
    'Incident',
    [
      ['k', 'acknowledge'],
      ['s', 'silence: say why'],
    ],
  ],
] as const

export default function KeysDialog({ onClose }: { onClose: () => void }) {
  useReturnedFocus()
  return (
    <Modal opened onClose={onClose} title="Keys">
      {KEYS.map(([place, keys]) => (
        <section key={place} className={css['place']}>
          <h3>{place}</h3>
          <dl>
            {keys.map(([key, act]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{act}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <p>
        <a href="/docs/guide">Guides</a> and <a href="/docs">API</a>
      </p>
    </Modal>
  )
}
