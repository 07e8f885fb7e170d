/**
 * The view in which requests are sent: the tenant of the address, and the user whose view an
 * operator sees. Requests carry a token that only reads, until that view ends or its token does.
 */
import { useSyncExternalStore } from 'react'
import { tenantHere } from '../address/router.ts'
import { fetchOnce } from './lost-answers.ts'
import { atMount } from './session-mount.ts'

export type View = { readonly accessToken: string; readonly name: string; readonly role: string }

const changes = new EventTarget()
let shown: View | undefined

export function showView(next: View | undefined): void {
  shown = next
  changes.dispatchEvent(new Event('change'))
}

/** Calls at each change. Returns a function that stops it. */
export function onView(call: () => void): () => void {
  changes.addEventListener('change', call)
  return () => changes.removeEventListener('change', call)
}

/** Calls with a view whose token has expired. Returns a function that stops it. */
export function onViewExpired(call: (view: View) => void): () => void {
  const hear = (event: Event) => call((event as CustomEvent<View>).detail)
  changes.addEventListener('expire', hear)
  return () => changes.removeEventListener('expire', hear)
}

export function useView(): View | undefined {
  return useSyncExternalStore(onView, () => shown)
}

const tenantHeader = 'x-tenant'

/** The headers of a request about all tenants, whatever the address names. */
export const ofAllTenants = { [tenantHeader]: 'all' } as const

function nameTenant({ headers }: Request): void {
  const tenant = headers.get(tenantHeader) === ofAllTenants[tenantHeader] ? undefined : tenantHere()
  if (tenant === undefined) headers.delete(tenantHeader)
  else headers.set(tenantHeader, tenant)
}

export function isViewing(): boolean {
  return shown !== undefined
}

function isLogIn(url: string): boolean {
  return new URL(url).pathname.includes('/api/v1/auth/')
}

export const fetchInView: typeof fetch = async (input, init) => {
  const request = new Request(input, init)
  // Log-ins and refreshes stay those of the operator, and are about no tenant.
  if (isLogIn(request.url)) return fetch(await atMount(request))
  nameTenant(request)
  const view = shown
  if (!view) return fetchOnce(request)
  request.headers.set('authorization', `Bearer ${view.accessToken}`)
  const answer = await fetch(request)
  if (answer.status === 401 && shown === view) {
    showView(undefined)
    changes.dispatchEvent(new CustomEvent('expire', { detail: view }))
  }
  return answer
}
