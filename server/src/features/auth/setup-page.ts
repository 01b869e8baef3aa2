/** The page of a setup link. Its token is in the fragment, which browsers never send or log. */
import { renderHtml } from '../../platform/html.ts'

export const SETUP_PAGE = String(renderHtml`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Set your password – Plimsoll</title>
<style>
  body { font: 1.05rem/1.5 system-ui, sans-serif; max-width: 28rem; margin: 4rem auto; padding: 0 1rem; color: #1a2733; background: #fff }
  label { display: block; margin-top: 1rem; font-weight: 600 }
  input { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem; border: 1px solid #6b7c8c; border-radius: 4px }
  button { font: inherit; margin-top: 1.5rem; padding: .5rem 1.25rem; border: 0; border-radius: 4px; background: #0b5394; color: #fff }
  [role=alert] { color: #a61b1b } .hint { color: #4a5a68; font-size: .95rem }
</style>
<main>
  <h1>Set your password</h1>
  <p class="hint">This link works once. Choose at least 12 characters.</p>
  <form id="form">
    <input type="text" autocomplete="username" hidden aria-hidden="true">
    <label for="password">Password</label>
    <input id="password" type="password" autocomplete="new-password" minlength="12" maxlength="200" required autofocus>
    <label for="repeat">Repeat it</label>
    <input id="repeat" type="password" autocomplete="new-password" minlength="12" maxlength="200" required>
    <p id="message" role="alert"></p>
    <button>Set password</button>
  </form>
</main>
<script src="/setup.js"></script>
</html>`)

export const SETUP_SCRIPT = `const form = document.getElementById('form')
const message = document.getElementById('message')
const token = new URLSearchParams(location.hash.slice(1)).get('token')
if (!token) message.textContent = 'This address has no token. Open the whole link you were given.'
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const [password, repeat] = [form.password.value, form.repeat.value]
  if (password !== repeat) {
    message.textContent = 'The two passwords differ.'
    return
  }
  form.querySelector('button').disabled = true
  message.textContent = ''
  try {
    await setPassword(password)
  } catch {
    message.textContent = 'The service cannot be reached. Try again shortly.'
  }
  form.querySelector('button').disabled = false
})

async function setPassword(password) {
  const response = await fetch('/auth/links/accept', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: token ?? '', password }),
  })
  if (response.ok) {
    document.querySelector('main').innerHTML =
      '<h1>Your password is set</h1><p>You can close this page. The API is used with keys; see the <a href="/docs">documentation</a>.</p>'
    history.replaceState(null, '', '/setup')
    return
  }
  message.textContent = (await response.json()).detail
}
`
