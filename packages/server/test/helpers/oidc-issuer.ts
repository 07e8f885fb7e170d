/**
 * A real OpenID provider on the loopback with log-in pages, and a minimal browser that submits
 * them.
 */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

export type Claims = Readonly<Record<string, unknown>>
export type Issuer = {
  readonly url: string
  /** The claims of each person, by log-in name; a test may change them at any time. */
  readonly people: Record<string, Claims>
  stop(): Promise<void>
}

export const clientId = 'our-client'
export const clientSecret = 'the secret of the client, long enough'

/** The audience of programs' tokens. */
export const resourceServer = 'https://api.example'

/** The variables of a provider of this name. */
export const providerEnv = (name: string, issuer: string, more: Record<string, string> = {}) => ({
  [`OIDC_${name}_ISSUER`]: issuer,
  [`OIDC_${name}_CLIENT_ID`]: clientId,
  [`OIDC_${name}_CLIENT_SECRET`]: clientSecret,
  ...more,
})

/** `inIdToken`: whether the ID token says all, and not the UserInfo endpoint alone. */
export async function startIssuer({ inIdToken = false, host = '127.0.0.1' } = {}): Promise<Issuer> {
  const people: Record<string, Claims> = {}
  let answer: RequestListener = () => undefined
  const server = createServer((request, response) => answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://${host}:${(server.address() as AddressInfo).port}`
  const provider = new Provider(url, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        grant_types: ['authorization_code', 'client_credentials'],
        redirect_uris: ['http://127.0.0.1/callback'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups', 'realm_access'] },
    conformIdTokenClaims: !inIdToken,
    cookies: { keys: ['a key of this test'] },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id, ...people[id] }) }),
    features: {
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({ scope: '', audience: resourceServer, accessTokenFormat: 'jwt' }),
      },
    },
    pkce: { required: () => true },
  })
  // The port of the service is not known yet.
  ;(provider.Client.prototype as { redirectUriAllowed: () => boolean }).redirectUriAllowed = () => true
  answer = provider.callback()
  return {
    url,
    people,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export type Visited = {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
}
export type Browser = {
  /** One request, with the cookies of the site, and without following redirects. */
  go(url: string, init?: RequestInit): Promise<Visited>
  /**
   * Begins at this address, logs in at the provider by this name, and stops before it returns: the
   * address of the callback.
   */
  logIn(url: string, as: string, change?: (away: URL) => void): Promise<string>
  /** The value of a cookie. */
  cookie(url: string, name: string): string | undefined
}

/** `accept`: what each request says it takes. */
export function makeBrowser(accept = 'application/json'): Browser {
  const jars = new Map<string, Map<string, string>>()

  async function go(url: string, init: RequestInit = {}): Promise<Visited> {
    const { origin, pathname } = new URL(url)
    const jar = jars.get(origin) ?? new Map<string, string>()
    jars.set(origin, jar)
    const cookie = [...jar]
      .filter(([key]) => pathname.startsWith(key.split(' ')[1] as string))
      .map(([key, value]) => `${key.split(' ')[0]}=${value}`)
      .join('; ')
    const headers = { accept, ...(cookie && { cookie }), ...(init.headers as object) }
    const reply = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of reply.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';').map((one) => one.trim())
      const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(pair) ?? []
      const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? '/'
      if (value === '' || attributes.some((one) => /^max-age=0$/i.test(one))) jar.delete(`${name} ${path}`)
      else jar.set(`${name} ${path}`, value)
    }
    return { url, status: reply.status, headers: reply.headers, text: await reply.text() }
  }

  /** Submits the form of one of the provider's pages. */
  function answerPage({ url, text }: Visited, as: string): Promise<Visited> {
    const action = /<form[^>]* action="([^"]+)"/.exec(text)?.[1] ?? ''
    const prompt = /name="prompt" value="(\w+)"/.exec(text)?.[1] ?? ''
    const body = new URLSearchParams({ prompt, ...(prompt === 'login' && { login: as, password: 'any' }) })
    return go(new URL(action, url).href, { method: 'POST', body })
  }

  return {
    go,
    cookie(url, name) {
      for (const [key, value] of jars.get(new URL(url).origin) ?? []) if (key.startsWith(`${name} `)) return value
      return undefined
    },
    async logIn(url, as, change) {
      const begun = await go(url)
      if (begun.status !== 302) throw new Error(`${url}: ${begun.status} ${begun.text}`)
      const away = new URL(begun.headers.get('location') as string)
      change?.(away)
      let page = await go(away.href)
      for (let steps = 0; steps < 12; steps += 1) {
        const location = page.headers.get('location')
        const next = location === null ? undefined : new URL(location, page.url)
        if (next && next.origin !== away.origin) return next.href
        if (!next && page.status !== 200) throw new Error(`${page.url}: ${page.status} ${page.text}`)
        page = next ? await go(next.href) : await answerPage(page, as)
      }
      throw new Error('the provider asks without end')
    },
  }
}
