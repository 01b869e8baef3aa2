import { expect, it } from 'vitest'
import { renderHtml, type Html } from './html.ts'

it('escapes texts, between tags and in attributes', () => {
  const name = `<script>alert("1")</script> & 'x'`

  expect(String(renderHtml`<a title="${name}">${name}</a>`)).toBe(
    '<a title="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;">' +
      '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;</a>',
  )
})

it('puts markup in as it is, and escapes within it once', () => {
  const cell = renderHtml`<td>${'a < b'}</td>`

  expect(String(renderHtml`<tr>${cell}</tr>`)).toBe('<tr><td>a &lt; b</td></tr>')
})

it('sets a list line by line, and leaves out what is absent', () => {
  const items = ['<1>', renderHtml`<b>2</b>`, null]

  expect(String(renderHtml`<p>${items}</p>${undefined}`)).toBe('<p>&lt;1&gt;\n<b>2</b>\n</p>')
})

it('takes nothing for markup that it has not made', () => {
  const forged = JSON.parse('{"markup":"<b>","length":0}') as Html

  expect(() => String(renderHtml`${forged}`)).toThrow(TypeError)
})
