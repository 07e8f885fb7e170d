/** A device with passkeys, which the browser plays for a page. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

export async function addAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const kind = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...kind, isUserVerified: true, automaticPresenceSimulation: true },
  })
}

type Owner = { readonly token: string; readonly currentPassword: string }

/** Enrols a passkey of that device, by requests of the page. */
export async function enrolPasskey(page: Page, { token, currentPassword }: Owner): Promise<void> {
  const enrolled = await page.evaluate(
    `(async () => {
      const post = async (path, body) => (await fetch('/api/v1/proofs' + path, { method: 'POST', headers: { 'content-type': 'application/json', authorization: 'Bearer ${token}' }, body: JSON.stringify(body) })).json()
      const { ticket, options } = await post('', { type: 'passkey', currentPassword: '${currentPassword}' })
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
      return post('/finish', { ticket, passkey: (await navigator.credentials.create({ publicKey })).toJSON() })
    })()`,
  )
  assert.equal((enrolled as { type: string }).type, 'passkey')
}
