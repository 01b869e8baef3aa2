import { expect, it } from 'vitest'
import { nameCookie, readCookie, setCookie } from './cookie.ts'

const COOKIE = { value: 'token', maxAgeSeconds: 60 }

it('has the prefix and Secure where the public URL is https', () => {
  const publicUrl = 'https://plimsoll.example'
  const name = nameCookie(publicUrl)

  expect(setCookie(publicUrl, { ...COOKIE, name })).toBe(
    '__Host-plimsoll_session=token; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure',
  )
})

it('is not one that another host of the domain, or a page without TLS, could have set', () => {
  const name = nameCookie('https://plimsoll.example')

  expect(readCookie('plimsoll_session=planted', name)).toBeUndefined()
  expect(readCookie('plimsoll_session=planted; __Host-plimsoll_session=own', name)).toBe('own')
})
