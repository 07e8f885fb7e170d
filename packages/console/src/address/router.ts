/** The address bar as state. */
import { useMemo, useSyncExternalStore } from 'react'
import { consoleRoot } from './place.ts'

const changes = new EventTarget()
addEventListener('popstate', () => changes.dispatchEvent(new Event('go')))

function listen(call: () => void): () => void {
  changes.addEventListener('go', call)
  return () => changes.removeEventListener('go', call)
}

/** The parts of the address below the console: `['products', 'id']`. */
export type Address = { readonly parts: readonly string[]; readonly query: URLSearchParams }

export function useAddress(): Address {
  const href = useSyncExternalStore(listen, () => location.href)
  return useMemo(() => {
    const { pathname, searchParams } = new URL(href)
    const parts = pathname.slice(consoleRoot.length).split('/').filter(Boolean).map(decodeURIComponent)
    return { parts, query: searchParams }
  }, [href])
}

/** `hrefOf(['products', id])` → `/console/products/…` */
export function hrefOf(parts: readonly string[], query = ''): string {
  return `${[consoleRoot, ...parts.map(encodeURIComponent)].join('/')}${query}`
}

/** `replace`: the present address is no place to go back to. */
export function go(href: string, { replace = false } = {}): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', href)
  changes.dispatchEvent(new Event('go'))
}
