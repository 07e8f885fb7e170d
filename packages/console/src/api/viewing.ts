/**
 * The user whose view an operator sees: requests carry a token that only reads, until the view ends
 * or its token does.
 */
import { useSyncExternalStore } from 'react'
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

export function useView(): View | undefined {
  return useSyncExternalStore(onView, () => shown)
}

export function isViewing(): boolean {
  return shown !== undefined
}

function isLogIn(url: string): boolean {
  return new URL(url).pathname.includes('/api/v1/auth/')
}

export const fetchInView: typeof fetch = async (input, init) => {
  const request = new Request(input, init)
  // Log-ins and refreshes stay those of the operator.
  if (isLogIn(request.url)) return fetch(await atMount(request))
  const view = shown
  if (!view) return fetch(request)
  request.headers.set('authorization', `Bearer ${view.accessToken}`)
  const answer = await fetch(request)
  if (answer.status === 401 && shown === view) showView(undefined)
  return answer
}
