/** A page that links in mails open. It needs no script. A form is sent to the address of its own page. */
import { renderHtml, type Html } from './html.ts'

export interface PlainPage {
  title: string
  paragraphs: readonly (string | Html)[]
  button?: string
}

export function renderPlainPage({ title, paragraphs, button }: PlainPage): string {
  const form = button && renderHtml`<form method="post"><button>${button}</button></form>`
  return String(renderHtml`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} – Plimsoll</title>
<style>
  :root { color-scheme: light dark; --ink: #1a2733; --paper: #fff; --deep: #0b5394; --on-deep: #fff }
  @media (prefers-color-scheme: dark) { :root { --ink: #e6ecf1; --paper: #14202b; --deep: #7cb9f0; --on-deep: #10202e } }
  body { font: 1.05rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 4rem auto; padding: 0 1rem; color: var(--ink); background: var(--paper); overflow-wrap: anywhere }
  h1 { font-size: 1.7rem; line-height: 1.25 }
  button { font: inherit; margin-top: 1rem; min-height: 2.75rem; padding: .5rem 1.25rem; border: 0; border-radius: 4px; background: var(--deep); color: var(--on-deep); cursor: pointer }
  button:focus-visible { outline: 3px solid var(--deep); outline-offset: 3px }
</style>
<main>
  <h1>${title}</h1>
  ${paragraphs.map((text) => renderHtml`<p>${text}</p>`)}
  ${form}
</main>
</html>`)
}
