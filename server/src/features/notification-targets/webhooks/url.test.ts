import { expect, it } from 'vitest'
import { parseWebhookUrl } from './service.ts'

it.each`
  text                                | result
  ${'https://hooks.example/a?b=c'}    | ${{ url: 'https://hooks.example/a?b=c' }}
  ${'HTTPS://Hooks.Example:443'}      | ${{ url: 'https://hooks.example/' }}
  ${'https://2130706433/'}            | ${{ url: 'https://127.0.0.1/' }}
  ${'https://bücher.example/ä'}       | ${{ url: 'https://xn--bcher-kva.example/%C3%A4' }}
  ${'http://hooks.corp'}              | ${{ url: 'http://hooks.corp/' }}
  ${'https://hooks.example/\r\nx:y'}  | ${{ url: 'https://hooks.example/x:y' }}
  ${'ftp://hooks.example'}            | ${'begin with https://'}
  ${'javascript:alert(1)'}            | ${'begin with https://'}
  ${'file:///etc/passwd'}             | ${'begin with https://'}
  ${'hooks.example'}                  | ${'begin with https://'}
  ${'https://'}                       | ${'begin with https://'}
  ${'https://user@hooks.example'}     | ${'user name'}
  ${'https://:pass@hooks.example'}    | ${'user name'}
  ${'https://hooks.example/#a'}       | ${'fragment'}
  ${'https://hooks.example/#'}        | ${'fragment'}
  ${`https://a.b/${'ä'.repeat(500)}`} | ${'2048'}
`('$text is read as $result', ({ text, result }: { text: string; result: object | string }) => {
  const read = parseWebhookUrl(text)

  if (typeof result === 'string')
    expect(read).toEqual({ fault: expect.stringContaining(result) as string })
  else expect(read).toEqual(result)
})
