import { expect, it } from 'vitest'
import { readConfig } from './config.ts'

const ACME = {
  PLIMSOLL_OIDC_PROVIDERS: 'acme-id',
  PLIMSOLL_OIDC_ACME_ID_ISSUER: 'https://id.acme.example/',
  PLIMSOLL_OIDC_ACME_ID_CLIENT_ID: 'plimsoll',
}

it('reads providers, and who becomes a member', () => {
  const { providers } = readConfig({
    ...ACME,
    PLIMSOLL_OIDC_ACME_ID_NAME: 'Acme',
    PLIMSOLL_OIDC_ACME_ID_WORKSPACE: '01A205FE-A6BD-7348-9CBF-D66250282ACA',
    PLIMSOLL_OIDC_ALLOWED_HOSTS: 'keycloak.corp',
    PLIMSOLL_OIDC_ACME_ID_DOMAINS: 'Acme.example, acme.test',
    PLIMSOLL_OIDC_ACME_ID_GROUP_ROLES: 'cn=a=Admin,devs=Engineer',
  }).people

  expect(providers).toEqual([
    {
      id: 'acme-id',
      name: 'Acme',
      issuer: 'https://id.acme.example/',
      clientId: 'plimsoll',
      clientSecret: undefined,
      scopes: 'openid email profile',
      groupsClaim: 'groups',
      allowedHosts: [{ host: 'keycloak.corp', port: undefined }],
      newMembers: {
        workspaceId: '01a205fe-a6bd-7348-9cbf-d66250282aca',
        domains: ['acme.example', 'acme.test'],
        groupRoles: [
          { group: 'cn=a', role: 'Admin' },
          { group: 'devs', role: 'Engineer' },
        ],
        role: undefined,
      },
    },
  ])
})

it.each`
  setting                                                                  | fault
  ${{ PLIMSOLL_OIDC_PROVIDERS: 'Acme!' }}                                  | ${'Acme! cannot be an id'}
  ${{ ...ACME, PLIMSOLL_OIDC_ACME_ID_ISSUER: 'http://id.acme.example' }}   | ${'_ISSUER must be the https://'}
  ${{ ...ACME, PLIMSOLL_OIDC_ACME_ID_CLIENT_ID: '' }}                      | ${'_CLIENT_ID is missing'}
  ${{ ...ACME, PLIMSOLL_OIDC_ACME_ID_ROLE: 'King' }}                       | ${'_ROLE must be one of Owner'}
  ${{ ...ACME, PLIMSOLL_OIDC_ACME_ID_GROUP_ROLES: 'devs' }}                | ${'devs is not of the form'}
  ${{ ...ACME, PLIMSOLL_OIDC_ACME_ID_WORKSPACE: 'x' }}                     | ${'_DOMAINS is missing'}
  ${{ PLIMSOLL_PASSWORD_SIGN_IN: 'off', PLIMSOLL_PASSKEY_SIGN_IN: 'off' }} | ${'Nobody can sign in'}
  ${{ PLIMSOLL_PASSWORD_SIGN_IN: 'no' }}                                   | ${'must be on or off'}
  ${{ PLIMSOLL_SESSION_DAYS: '0' }}                                        | ${'PLIMSOLL_SESSION_DAYS'}
`('refuses $setting', ({ setting, fault }: { setting: Record<string, string>; fault: string }) => {
  expect(() => readConfig(setting)).toThrow(fault)
})

it('has the cost of passwords that OWASP recommends', () => {
  expect(readConfig({}).people.passwordCost).toEqual({
    memoryKibibytes: 19_456,
    passes: 2,
    parallelism: 1,
  })
})
