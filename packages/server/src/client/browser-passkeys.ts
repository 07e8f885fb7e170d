/**
 * Passkeys in a browser (WebAuthn, section 5.1): what the server asks goes to the device, and what
 * the device says goes back, both as JSON.
 */

/**
 * The browser's own, as far as it is needed: the client's types are for Node too, which has none of
 * it.
 */
type InBrowser = {
  readonly navigator?: {
    readonly credentials?: Record<'create' | 'get', (options: object) => Promise<{ toJSON(): object } | null>>
  }
  readonly PublicKeyCredential?: Record<
    'parseCreationOptionsFromJSON' | 'parseRequestOptionsFromJSON',
    ((options: object) => object) | undefined
  >
}

type Act = {
  readonly by: 'create' | 'get'
  readonly parse: 'parseCreationOptionsFromJSON' | 'parseRequestOptionsFromJSON'
}

/**
 * Throws `TypeError` outside of browsers that know passkeys, and what the browser throws
 * (`NotAllowedError`) when nobody says yes.
 */
async function ask(options: object, { by, parse }: Act): Promise<object> {
  const { navigator, PublicKeyCredential } = globalThis as InBrowser
  const parsed = PublicKeyCredential?.[parse]?.(options)
  if (!parsed || !navigator?.credentials) throw new TypeError('This is no browser that knows passkeys')
  const credential = await navigator.credentials[by]({ publicKey: parsed })
  if (!credential) throw new TypeError('The browser gave no passkey')
  return credential.toJSON()
}

/** Makes one, of the `options` with which its enrolment began: the `passkey` of its end. */
export function makePasskey(options: object): Promise<object> {
  return ask(options, { by: 'create', parse: 'parseCreationOptionsFromJSON' })
}

/**
 * Shows one, of the `options` of `POST /auth/passkey`: the `passkey` that goes back with its
 * ticket.
 */
export function showPasskey(options: object): Promise<object> {
  return ask(options, { by: 'get', parse: 'parseRequestOptionsFromJSON' })
}
