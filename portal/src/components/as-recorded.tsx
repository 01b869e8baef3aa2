/** What of ours was compared with a record: a sentence's words, and what programs call it. */
import css from './as-recorded.module.css'

const KINDS: Readonly<Record<string, string>> = { cpe: 'CPE', purl: 'purl' }

/** `cpe:linux:linux_kernel`: "linux_kernel". */
export const nameKey = (key: string): string => key.split(/[:/]/).at(-1) ?? key

/** "linux_kernel 6.6.121, by CPE,", to go on with. */
export function Compared({ of: { key, version } }: { of: { key: string; version: string } }) {
  const by = KINDS[key.split(':')[0] ?? '']
  return (
    <>
      <code>
        {nameKey(key)} {version}
      </code>
      {by !== undefined && `, by ${by},`}
    </>
  )
}

/** What programs call it, for whoever asks: the sentence above it says the same. */
export function AsRecorded({ facts }: { facts: readonly { label: string; text: string }[] }) {
  return (
    <details className={css['raw']}>
      <summary>As the record has it</summary>
      <dl>
        {facts
          .filter(({ text }) => text !== '')
          .map(({ label, text }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <code>{text}</code>
              </dd>
            </div>
          ))}
      </dl>
    </details>
  )
}
