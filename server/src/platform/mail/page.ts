/**
 * A mail as HTML. It loads nothing and runs nothing. Styles are attributes of the elements, because not all mail programs
 * read style sheets; those that have a dark mode do.
 */
import { renderHtml, type Html } from '../html.ts'

const DARK = renderHtml`
  :root { color-scheme: light dark; supported-color-schemes: light dark }
  @media (prefers-color-scheme: dark) {
    .page { background: #0e161d !important; color: #e6ecf1 !important }
    .card { background: #172530 !important; color: #e6ecf1 !important }
    .hint, .name { color: #a9b6c2 !important }
    .line { border-color: #34424f !important }
    .link { color: #7cb9f0 !important }
    .button { background: #7cb9f0 !important; color: #10202e !important }
    .Firing { color: #ff9d94 !important; border-color: #ff9d94 !important }
    .Resolved { color: #7fd6a0 !important; border-color: #7fd6a0 !important }
    .Ended { color: #f0c36d !important; border-color: #f0c36d !important }
    .Neutral { color: #7cb9f0 !important; border-color: #7cb9f0 !important }
  }`

const FONT = `font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif`
export const LINE = '1px solid #d5dde3'
export const HINT = 'color:#4a5a68;font-size:14px;line-height:1.5'

interface MailPage {
  subject: string
  card: Html
  /** Below the card: why the reader gets the mail. */
  foot: Html
}

export function renderMailPage({ subject, card, foot }: MailPage): string {
  return String(renderHtml`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
<style>${DARK}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:#eef2f5;color:#1a2733">
<div class="page" lang="en" style="${FONT};font-size:16px;line-height:1.5;padding:24px 12px;background:#eef2f5;color:#1a2733;overflow-wrap:anywhere">
<div class="card" style="max-width:600px;margin:0 auto;padding:24px;background:#ffffff;color:#1a2733;border-radius:6px">
${card}
</div>
<div class="hint" style="max-width:600px;margin:0 auto;padding:16px 24px;${HINT}">
${foot}
</div>
</div>
</body>
</html>
`)
}

/** Isolates the direction of a name's letters from the text around it. */
export function isolateDirection(text: string): Html {
  return renderHtml`<bdi>${text}</bdi>`
}

export function renderParagraph(text: string): Html {
  return renderHtml`<p style="margin:0 0 12px">${isolateDirection(text)}</p>`
}

export function renderAnchor({ label, url }: { label: string; url: string }): Html {
  return renderHtml`<a class="link" href="${url}" style="color:#0b5394">${label}</a>`
}
