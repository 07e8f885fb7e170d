/** The address bar as state. */
import { type MouseEvent, useMemo, useSyncExternalStore } from 'react'
import { consoleRoot } from './place.ts'

const changes = new EventTarget()
addEventListener('popstate', () => changes.dispatchEvent(new Event('go')))

function listen(call: () => void): () => void {
  changes.addEventListener('go', call)
  return () => changes.removeEventListener('go', call)
}

/** Addresses within a tenant begin with it: `/console/_in/club:ID/events`. */
const inTenant = '_in'

/** The parts of the address below the console and its tenant: `['things', 'id']`. */
export type Address = {
  readonly parts: readonly string[]
  readonly query: URLSearchParams
  /** `club:ID`; undefined for all tenants. */
  readonly tenant: string | undefined
}

function addressOf(href: string): Address {
  const { pathname, searchParams: query } = new URL(href)
  const parts = pathname.slice(consoleRoot.length).split('/').filter(Boolean).map(decodeURIComponent)
  const [first, tenant] = parts
  return first === inTenant ? { parts: parts.slice(2), query, tenant } : { parts, query, tenant: undefined }
}

export function useAddress(): Address {
  const href = useSyncExternalStore(listen, () => location.href)
  return useMemo(() => addressOf(href), [href])
}

/** The tenant of the address: every request is about it alone. */
export function tenantHere(): string | undefined {
  return addressOf(location.href).tenant
}

/** Calls before the page shows another address. */
export function onAddress(call: () => void): void {
  listen(call)
}

/** `placeIn(undefined, ['things'])` leaves the tenant. */
export function placeIn(tenant: string | undefined, parts: readonly string[]): string {
  const all = [...(tenant === undefined ? [] : [inTenant, tenant]), ...parts]
  return [consoleRoot, ...all.map(encodeURIComponent)].join('/').replaceAll('%3A', ':')
}

/** `hrefOf(['things', id])` → `/console/things/…`, in the tenant of the address */
export function hrefOf(parts: readonly string[], query = ''): string {
  return `${placeIn(tenantHere(), parts)}${query}`
}

/** `replace`: the present address is no place to go back to. */
export function go(href: string, { replace = false } = {}): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', href)
  changes.dispatchEvent(new Event('go'))
}

/** A link that does not load the page again; with a key held it opens another tab as links do. */
export function followIn(href: string): (event: MouseEvent) => void {
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    go(href)
  }
}
