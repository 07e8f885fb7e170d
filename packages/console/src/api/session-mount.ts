/**
 * The mount of `/auth` that has the refresh cookie of this page: `/auth`, as for the server's own
 * pages and for OpenID providers. A log-in that enrols a factor gives it to `/api/v1/auth`.
 */
const prefix = '/api/v1'
type Mount = '' | typeof prefix

const key = 'bindery.console.session'
const kept = localStorage.getItem(key)
let mount: Mount = kept === prefix ? prefix : ''

/** A first visit asks for no session that cannot exist: its 401 is an error for the browser. */
export const hadSession = kept !== null

export function keepMount(next: Mount): void {
  mount = next
  localStorage.setItem(key, next)
}

export function forgetMount(): void {
  localStorage.removeItem(key)
}

const ownMount = /\/api\/v1(\/auth\/(?:refresh|logout))$/
const anyAuth = /\/api\/v1(\/auth\/)/

/** A request of the client to `/api/v1/auth`, as it is at the mount. */
export async function atMount(request: Request): Promise<Request> {
  const url = new URL(request.url)
  const isOwn = ownMount.test(url.pathname)
  if (isOwn && mount === prefix) return request
  url.pathname = url.pathname.replace(anyAuth, '$1')
  const { method, headers, signal, redirect, keepalive } = request
  const body = await request.text()
  return new Request(url, { method, headers, signal, redirect, keepalive, ...(body !== '' && { body }) })
}
