/**
 * Passkeys in a browser (WebAuthn, section 5.1): passes the server's options to the device and the
 * device's answer back, both as JSON.
 */

/**
 * The parts of the browser's API that are used here: the client's types are for Node too, which
 * lacks it.
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
 * Throws `TypeError` outside of browsers that have passkeys, and the browser's error
 * (`NotAllowedError`) when the user does not agree.
 */
async function ask(options: object, { by, parse }: Act): Promise<object> {
  const { navigator, PublicKeyCredential } = globalThis as InBrowser
  const parsed = PublicKeyCredential?.[parse]?.(options)
  if (!parsed || !navigator?.credentials) throw new TypeError('This is no browser that knows passkeys')
  const credential = await navigator.credentials[by]({ publicKey: parsed })
  if (!credential) throw new TypeError('The browser gave no passkey')
  return credential.toJSON()
}

/**
 * Creates a passkey from the `options` with which its enrolment began. The result is the `passkey`
 * that ends the enrolment.
 */
export function makePasskey(options: object): Promise<object> {
  return ask(options, { by: 'create', parse: 'parseCreationOptionsFromJSON' })
}

/**
 * Uses a passkey, from the `options` of `POST /auth/passkey`. The result is the `passkey` to send
 * back with its ticket.
 */
export function showPasskey(options: object): Promise<object> {
  return ask(options, { by: 'get', parse: 'parseRequestOptionsFromJSON' })
}
