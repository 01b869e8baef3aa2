import type { FindingDetail } from '@plimsoll/api-client'
import css from './finding-page.module.css'

const SHOWN = 12

/** Links of the records. Only addresses of the web become links; records are written by strangers. */
export function References({ finding }: { finding: FindingDetail }) {
  const { references, cwes, sourceUrl } = finding.cve
  const urls = [...(sourceUrl === null ? [] : [sourceUrl]), ...references.map(({ url }) => url)]
  return (
    <div className={css['references']}>
      {cwes.map(({ id, name }) => (
        <p key={id}>
          <code>{id}</code> {name}
        </p>
      ))}
      <ul>
        {urls.slice(0, SHOWN).map((url) => (
          <li key={url}>
            <WebText url={url} text={url} />
          </li>
        ))}
      </ul>
      {urls.length > SHOWN && <p>and {urls.length - SHOWN} more</p>}
    </div>
  )
}

/** A link where the address is one of the web, else plain text. */
export function WebText({ url, text }: { url: string; text: string }) {
  if (!isWebAddress(url)) return <code>{text}</code>
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {text}
    </a>
  )
}

function isWebAddress(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'https:' || url?.protocol === 'http:'
}
