import { renderHtml } from '../../platform/html.ts'

/** The page that links in notices open. It is the same whether or not the incident exists. */
/** Only ids in the format of the service are repeated on the page. */
const ID = /^[0-9a-f-]{36}$/

export function writeIncidentPage(path: { workspaceId: string; incidentId: string }): string {
  const workspaceId = ID.test(path.workspaceId) ? path.workspaceId : 'WORKSPACE-ID'
  const incidentId = ID.test(path.incidentId) ? path.incidentId : 'INCIDENT-ID'
  return renderHtml`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Incident – Plimsoll</title>
<style>
  body { font: 1.05rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 4rem auto; padding: 0 1rem; color: #1a2733; background: #fff }
  h1 { font-size: 1.6rem } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
  pre { margin: 0; padding: .75rem 1rem; white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid #c3ccd4; border-radius: 4px; background: #f4f6f8; font: .95rem/1.5 ui-monospace, monospace }
  a { color: #0b5394 } .hint { color: #4a5a68 }
  @media (prefers-color-scheme: dark) {
    body { color: #e6ebf0; background: #15191e } pre { border-color: #3b4650; background: #1e242b } a { color: #7db9ee } .hint { color: #a9b6c2 }
  }
</style>
<main>
  <h1>An incident in your fleet</h1>
  <p class="hint">To see what happened you need an API key of the workspace with the scope “Alerts: read”.</p>
  <h2>On the command line</h2>
  <pre>plimsoll incident show ${incidentId}</pre>
  <h2>Over the API</h2>
  <pre>GET /workspaces/${workspaceId}/alert-incidents/${incidentId}
Authorization: Bearer plm_…</pre>
  <p>The <a href="/docs">description of the API</a> lists all requests.</p>
</main>
</html>`.toString()
}
